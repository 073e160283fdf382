//! `loyd token`: makes a token, and the line by which a server recognizes it.

use std::io::Write;

use clap::Args;

use super::{Exit, Failure};
use crate::service::tokens;
use crate::service::{Identity, Weight};

/// The number of random bytes of a token: too many to guess.
const RANDOM: usize = 32;

/// The prefix of tokens, by which a leaked one can be recognized.
const PREFIX: &str = "loyd_";

const EXAMPLES: &str = "\
Example:
  loyd token lobby --weight 2

Prints the token, which is kept nowhere: hand it to the client, which sends it with each call as
`authorization: Bearer TOKEN`. Then prints, after `line:`, the line for the server's --token-file.
It has only the token's hash. The server reads that file again when it changes.";

/// Make a token for a client.
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct TokenArgs {
    /// The client's name: 1 to 253 printable ASCII characters, no spaces, and no # at the beginning.
    #[arg(value_name = "NAME", value_parser = name)]
    name: Identity,

    /// The client's weight in sharing the service with others, 1 to 1000.
    #[arg(long, value_name = "WEIGHT", default_value = "1", value_parser = weight)]
    weight: Weight,
}

impl TokenArgs {
    /// Makes a token, and prints it on `output`.
    ///
    /// # Errors
    /// When no random bytes can be drawn, or the output cannot be written.
    pub fn run(&self, output: &mut dyn Write) -> Result<Exit, Failure> {
        let mut random = [0; RANDOM];
        getrandom::fill(&mut random)
            .map_err(|error| Failure::Broken(format!("cannot draw a token: {error}")))?;
        let token = format!("{PREFIX}{}", hexadecimal(&random));
        let hash = hexadecimal(&tokens::hash(token.as_bytes()));
        writeln!(output, "token: {token}")?;
        writeln!(output, "line:  {} {hash} {}", self.name, self.weight.get())?;
        output.flush()?;
        Ok(Exit::Done)
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn name(text: &str) -> Result<Identity, String> {
    // A line that begins with # is a comment.
    let name = Identity::new(text).filter(|_| !text.starts_with('#'));
    name.ok_or_else(|| {
        "a name has 1 to 253 printable ASCII characters, no spaces, and does not begin with #"
            .to_owned()
    })
}

fn weight(text: &str) -> Result<Weight, String> {
    Weight::read(text).ok_or_else(|| "a weight is a number from 1 to 1000".to_owned())
}
