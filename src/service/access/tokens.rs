//! The tokens that let clients in. Only their hashes are kept.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use ring::digest::{SHA256, digest};
use subtle::ConstantTimeEq;

use super::identity::{Identity, Weight};
use super::reload::Reloaded;
use crate::text::unmarked;

/// The bytes of a token's SHA-256.
pub type Hash = [u8; 32];

/// The number of hash bytes by which a token is looked up. Learning them from the timing is
/// useless, since nobody can make a token that matches them.
const KEY: usize = 8;

/// The clients that have a token.
#[derive(Debug, Default)]
pub struct Tokens(HashMap<[u8; KEY], Token>);

/// A client's token.
#[derive(Debug)]
pub struct Token {
    hash: Hash,
    /// The client's name.
    pub name: Identity,
    /// The client's weight relative to others.
    pub weight: Weight,
}

impl Tokens {
    /// Reads a file of tokens, now and whenever it changes.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub fn open(path: &Path) -> Result<Arc<Reloaded<Self>>, String> {
        const SETTING: &str = "--token-file";
        Reloaded::open("tokens", vec![(SETTING, path.to_owned())], |files, _| {
            let text = std::str::from_utf8(&files[0]).map_err(|_| "it is not UTF-8".to_owned());
            let tokens = text.and_then(Self::read);
            tokens.map_err(|error| format!("{SETTING}: {error}"))
        })
    }

    /// Reads lines of a name, a hash in hexadecimal and an optional weight. Empty lines and those
    /// that begin with `#` are ignored.
    ///
    /// # Errors
    /// The first invalid line, by number. Its content is never included, since it might be a token.
    pub fn read(text: &str) -> Result<Self, String> {
        let mut tokens = HashMap::new();
        for (number, line) in unmarked(text).lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let wrong = |what: &str| Err(format!("line {}: {what}", number + 1));
            let mut words = line.split_whitespace();
            let Some(name) = words.next().and_then(Identity::new) else {
                return wrong("a name has 1 to 253 printable ASCII characters");
            };
            let Some(hash) = words.next().and_then(read_hash) else {
                return wrong("after the name must come a SHA-256 of 64 hexadecimal digits");
            };
            let weight = words.next().map_or(Some(Weight::default()), Weight::read);
            let Some(weight) = weight else {
                return wrong("a weight is a number from 1 to 1000");
            };
            if words.next().is_some() {
                return wrong("there is more than a name, a hash and a weight");
            }
            let token = Token { hash, name, weight };
            if tokens.insert(key(&hash), token).is_some() {
                return wrong("this token is already on an earlier line");
            }
        }
        if tokens.is_empty() {
            return Err("it holds no token: make one with `loyd token NAME`".to_owned());
        }
        Ok(Self(tokens))
    }

    /// Finds the token that was presented.
    #[must_use]
    pub fn find(&self, presented: &[u8]) -> Option<&Token> {
        let hash = hash(presented);
        let token = self.0.get(&key(&hash))?;
        bool::from(token.hash.ct_eq(&hash)).then_some(token)
    }
}

/// The SHA-256 of a token.
#[must_use]
pub fn hash(token: &[u8]) -> Hash {
    let hash = digest(&SHA256, token);
    hash.as_ref().try_into().expect("as long as a SHA-256 is")
}

fn key(hash: &Hash) -> [u8; KEY] {
    *hash.first_chunk().expect("a hash is longer")
}

fn read_hash(text: &str) -> Option<Hash> {
    let mut hash = Hash::default();
    if text.len() != 2 * hash.len() || !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    for (byte, digits) in hash.iter_mut().zip(text.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(hash)
}
