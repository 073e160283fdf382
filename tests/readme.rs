//! What the README promises to list, it lists, and what it shows is so. Links in it, in docs and in the pages named below
//! lead somewhere.
#![cfg(feature = "service")]

use std::fs;
use std::path::Path;
use std::process::Command;

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

/// A text as words, without times such as "0.2 ms" and "1.30 s".
fn but_for_times(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    for word in text.split_whitespace() {
        match word {
            "ms" | "s" => drop(words.pop()),
            _ => words.push(word),
        }
    }
    words
}

#[test]
fn the_readme_shows_what_the_command_line_prints() {
    let mut shown = 0;
    for block in README.split("```console\n").skip(1) {
        let block = block.split("```").next().expect("a block");
        for example in block.split("$ ").skip(1) {
            let (command, output) = example.split_once('\n').expect("a line");
            let Some(arguments) = command.strip_prefix("loyd ").filter(|_| !output.is_empty())
            else {
                continue;
            };
            let ran = Command::new(env!("CARGO_BIN_EXE_loyd"))
                .args(arguments.split_whitespace())
                .env(
                    "LOYD_TABLE_DIR",
                    concat!(env!("CARGO_TARGET_TMPDIR"), "/tables"),
                )
                .output()
                .expect("it runs");
            let printed = String::from_utf8(ran.stdout).expect("text");
            assert_eq!(but_for_times(&printed), but_for_times(output), "{command}");
            shown += 1;
        }
    }
    assert_eq!(shown, 4);
}

/// The lines of a page that are not code.
fn prose(page: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    page.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// How a link names a heading, after its `#`.
fn anchor(heading: &str) -> String {
    let words = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = |&letter: &char| letter.is_alphanumeric() || " -_".contains(letter);
    words
        .chars()
        .filter(kept)
        .collect::<String>()
        .replace(' ', "-")
}

#[test]
fn every_link_leads_to_a_page_and_a_heading_of_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = root.join("docs").read_dir().expect("a folder");
    let mut pages: Vec<_> = docs.map(|page| page.expect("a file").path()).collect();
    pages.retain(|page| page.extension().is_some_and(|end| end == "md"));
    pages.extend(
        ["README.md", "ARCHITECTURE.md", "deploy/client/README.md"].map(|page| root.join(page)),
    );
    let mut followed = 0;
    for page in pages {
        let text = fs::read_to_string(&page).expect("a page");
        let text: String = prose(&text).flat_map(|line| [line, "\n"]).collect();
        for link in text.split("](").skip(1) {
            let (link, _) = link.split_once(')').expect("the end of a link");
            if link.contains("://") {
                continue;
            }
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => page.clone(),
                _ => page.parent().expect("a folder").join(file),
            };
            assert!(target.exists(), "{link} in {}", page.display());
            if !heading.is_empty() {
                let there = fs::read_to_string(&target).expect("a page");
                let mut headings = prose(&there).filter(|line| line.starts_with('#'));
                assert!(
                    headings.any(|line| anchor(line) == heading),
                    "{link} in {}",
                    page.display()
                );
            }
            followed += 1;
        }
    }
    assert!(followed > 100, "{followed} links");
}
