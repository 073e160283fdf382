//! What `--help` prints.

use clap::CommandFactory;
use loyd::cli::Cli;

/// The widest that clap prints. It breaks longer lines, whose next line then begins anew.
const WIDTH: usize = 100;

fn assert_fits(command: &clap::Command) {
    let help = command.get_after_help().map(ToString::to_string);
    for line in help.unwrap_or_default().lines() {
        let name = command.get_name();
        assert!(line.chars().count() <= WIDTH, "{name}: {line}");
    }
    command.get_subcommands().for_each(assert_fits);
}

#[test]
fn lines_that_are_broken_by_hand_fit() {
    assert_fits(&Cli::command());
}
