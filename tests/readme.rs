//! What the README promises to list, it lists.
#![cfg(feature = "service")]

use clap::CommandFactory;
use loyd::cli::Cli;
use loyd::telemetry::METRICS;

const README: &str = include_str!("../README.md");

/// The row of a table whose first cell is this, in backquotes.
fn row(first: &str) -> &'static str {
    let start = format!("| `{first}` |");
    README
        .lines()
        .find(|line| line.starts_with(&start))
        .unwrap_or_else(|| panic!("the README has no row for {first}"))
}

#[test]
fn the_readme_lists_every_setting_with_its_variable_and_default() {
    let cli = Cli::command();
    let serve = cli.find_subcommand("serve").expect("a command");
    let mut settings = 0;
    for setting in serve.get_arguments() {
        let Some(variable) = setting.get_env() else {
            continue;
        };
        let row = row(&format!("--{}", setting.get_long().expect("a flag")));
        let variable = variable.to_str().expect("a name");
        assert!(row.contains(&format!("| `{variable}` |")), "{row}");
        for default in setting.get_default_values() {
            let default = default.to_str().expect("text");
            assert!(row.contains(&format!("| `{default}` |")), "{row}");
        }
        settings += 1;
    }
    assert_eq!(settings, README.matches("| `LOYD_").count());
}

#[test]
fn the_readme_lists_every_metric_with_its_kind() {
    for (kind, name, _) in METRICS {
        let kind = format!("{kind:?}").to_lowercase();
        let start = format!("| `{name}` | {kind} | ");
        assert!(row(name).starts_with(&start), "{name} is a {kind}");
    }
    let rows =
        ["loyd_", "process_"].map(|prefix| README.matches(&format!("\n| `{prefix}")).count());
    assert_eq!(METRICS.len(), rows.iter().sum::<usize>());
}
