//! Lists that people write: boards to measure, and the tokens of clients.

use std::hint::black_box;

use loyd::bench::read_cases;
use loyd::service::tokens::Tokens;

use super::{Target, Trait, about, trait_of};

pub(crate) const LISTS: Target = Target {
    name: "lists",
    run,
    seeds,
    message_at: |_| None,
};

fn run(input: &[u8]) -> Trait {
    let text = String::from_utf8_lossy(input);
    boards(&text) ^ tokens(&text).rotate_left(1)
}

fn boards(text: &str) -> Trait {
    let cases = match read_cases(text) {
        Ok(cases) => cases,
        Err(error) => return trait_of(&error),
    };
    let starts = || cases.iter().map(|case| case.problem.start());
    let written: String = starts().map(|start| format!("{start}\n")).collect();
    let again = read_cases(&written).unwrap();
    assert!(starts().eq(again.iter().map(|case| case.problem.start())));
    let measured = cases.iter().filter(|case| case.length.is_some()).count();
    trait_of(&format!("{} of {}", about(measured), about(cases.len())))
}

fn tokens(text: &str) -> Trait {
    match Tokens::read(text) {
        Ok(tokens) => {
            black_box(tokens.find(text.as_bytes()));
            trait_of("tokens")
        }
        Err(error) => {
            // It names a line, of which it says nothing.
            assert!(error.len() < 100, "{error}");
            trait_of(&error)
        }
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    [
        "# boards\n1 2 / 0 3 # seed 18446744073709551614, 1 move\n0 3 / 2 1\n",
        "\u{feff}Korf #1\t1,2,3,4,5,6,7,0,8\t1\textra\nother\t0,3,2,1\t-\n",
        &format!("# who may call\n\nlobby {hash} 7\n"),
        &format!("arena {hash}\r\nlobby {} 1000\n", hash.to_uppercase()),
        &format!("lobby {} 0\n", hash.replace('a', "b")),
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec()
}
