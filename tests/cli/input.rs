//! Where boards and goals are read from.

use std::io::Write;

use loyd::cli::Exit;
use loyd::service::proto::goal::Goal;
use loyd::service::proto::{CheckSolvableResponse, GoalLayout};

use crate::fake::Fake;

fn checker() -> Fake {
    Fake {
        check: Ok(CheckSolvableResponse {
            solvable: true,
            ..CheckSolvableResponse::default()
        }),
        ..Fake::default()
    }
}

/// The tiles that the service was asked about.
fn tiles(fake: &Fake) -> Vec<u32> {
    let request = fake.asked().check.expect("asked");
    request.board.expect("a board").tiles
}

#[test]
fn a_board_is_typed_piped_or_filed() {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(b"2\n3 2\n1 0\n").expect("written");
    let path = file.path().to_str().expect("text");
    for (arguments, input) in [
        (&["check", "3", "2", "/", "1", "0"][..], ""),
        (&["check", "3 2 1 0"], "1 2 3 0"),
        (&["check", "3,2;1,_"], ""),
        (&["check"], "3 2\n1 0\n"),
        (&["check"], "\u{feff}3 2\n1 0\n"),
        (&["check", "-"], "3 2\n1 0\n"),
        (&["check", "--file", path], "1 2 3 0"),
        (&["check", "-f", path], ""),
    ] {
        let fake = checker();
        assert_eq!(
            fake.run(arguments, input).exit(),
            Exit::Done,
            "{arguments:?}"
        );
        assert_eq!(tiles(&fake), [3, 2, 1, 0], "{arguments:?}");
    }
}

#[test]
fn a_text_that_is_no_board_is_never_sent() {
    for (arguments, input, complaint) in [
        (
            &["check", "1 2 3 3"][..],
            "",
            "line 1, column 7: not a board: cell 3: tile 3 is already on cell 2; \
             tile 0 is missing",
        ),
        (
            &["check"],
            "1 2\n3 four\n",
            "standard input: line 2, column 3: \"four\" is neither the number of a tile nor a \
             blank (0, _, . or x)",
        ),
        (
            &["check", "--file", "/no/such/board"],
            "",
            "/no/such/board: No such file or directory (os error 2)",
        ),
        (
            &["check", "1 2 3 0", "--goal", "1 2 3 4 5 6 7 8 0"],
            "",
            "--goal: a board of 2×2 has 4 numbers, but 9 were given",
        ),
        (
            &["check", "1 2 3 0", "--goal", "spiral"],
            "",
            "--goal: \"spiral\" is neither a board nor rows-blank-last, rows-blank-first, \
             columns-blank-last, snail or snake",
        ),
        (
            &["check", "1 2 3 0", "--goal", "blank_last"],
            "",
            "--goal: \"blank_last\" is neither a board nor rows-blank-last, rows-blank-first, \
             columns-blank-last, snail or snake",
        ),
        (
            &["check"],
            "# drawn\n1 2 / 0 3 # seed 8, 1 move\n\n0 3 / 2 1 # seed 5\n",
            "standard input: there are 2 boards, one on each line: give one board at a time",
        ),
        (
            &["check", "1 2 3 0", "--goal", "1 2 3 y"],
            "",
            "--goal: line 1, column 7: \"y\" is neither the number of a tile nor a blank \
             (0, _, . or x)",
        ),
    ] {
        let fake = checker();
        let ran = fake.run(arguments, input);
        assert_eq!(ran.complaint(), complaint);
        assert_eq!(ran.exit(), Exit::BadInput);
        assert_eq!(fake.asked().check, None);
    }
}

#[test]
fn a_file_without_end_is_not_read_to_its_end() {
    let ran = checker().run(&["check", "--file", "/dev/zero"], "");
    assert_eq!(
        ran.complaint(),
        "/dev/zero: more than 1 MiB: this is not a board"
    );
    assert_eq!(ran.exit(), Exit::BadInput);
}

#[test]
fn goals_have_names() {
    for (name, layout) in [
        ("rows-blank-last", GoalLayout::RowsBlankLast),
        ("rows-blank-first", GoalLayout::RowsBlankFirst),
        ("columns-blank-last", GoalLayout::ColumnsBlankLast),
        ("snail", GoalLayout::Snail),
        ("snake", GoalLayout::Snake),
    ] {
        // Also as the contract spells them.
        for name in [name, &name.replace('-', "_")] {
            let fake = checker();
            fake.run(&["check", "1 2 3 0", "--goal", name], "");
            let goal = fake.asked().check.and_then(|asked| asked.goal?.goal);
            assert_eq!(goal, Some(Goal::Layout(layout.into())));
        }
    }
}
