//! Answers equal concurrent questions with one search, and keeps proven answers.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use moka::sync::Cache as Moka;

use super::Question;
use super::best::Best;
use super::pool::Client;
use super::share::{Asker, Shared};
use crate::telemetry;

/// The largest answer that is kept, in bytes: a rare long one must not evict a thousand others.
const LARGEST: u32 = 64 * 1024;

/// Everything that determines the answer except time: each asker ends its own wait.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Asked {
    /// The question.
    pub question: Question,
    /// The most node generations.
    pub max_nodes: u64,
    /// The most bytes.
    pub max_memory: u64,
}

/// A question with its limits and their hash, computed once because each call looks it up several times; and
/// whose search answers it.
///
/// Clients share what is proven, but not a running search: it gets its turns, and is charged for, as the task
/// of one of them, behind whose other questions another would have to wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    hash: u64,
    asked: Arc<Asked>,
    /// The name of a client. `None` for all callers without one, and for what is proven.
    client: Option<Arc<str>>,
}

impl Key {
    /// The key of the answer once it is proven.
    fn proven(&self) -> Self {
        Self {
            client: None,
            ..self.clone()
        }
    }
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

impl Deref for Key {
    type Target = Asked;

    fn deref(&self) -> &Asked {
        &self.asked
    }
}

/// The running searches and the proven answers, by question.
#[derive(Clone, Debug)]
pub struct Cache {
    /// Holds at most as many as the pool.
    running: Arc<Mutex<HashMap<Key, Arc<Shared<Best>>>>>,
    kept: Moka<Key, Arc<Shared<Best>>>,
    hasher: RandomState,
}

impl Cache {
    /// A cache that keeps about this many bytes of answers.
    #[must_use]
    pub fn new(bytes: u64) -> Self {
        Self {
            running: Arc::default(),
            kept: Moka::builder()
                .max_capacity(bytes)
                .weigher(|key: &Key, shared: &Arc<Shared<Best>>| weight(key, shared))
                .build(),
            hasher: RandomState::new(),
        }
    }

    /// The key of a client's question with its limits.
    #[must_use]
    pub fn key(&self, client: Option<&Client>, asked: Asked) -> Key {
        Key {
            hash: self.hasher.hash_one(&asked),
            asked: Arc::new(asked),
            client: client.map(|client| Arc::clone(&client.name)),
        }
    }

    /// Takes what is proven of an equal question, or joins the client's search for one, to take its result when `due`,
    /// or starts one with `begin`.
    ///
    /// # Errors
    /// Those of `begin`.
    pub fn ask<E>(
        &self,
        key: &Key,
        due: Instant,
        begin: impl FnOnce() -> Result<Asker<Best>, E>,
    ) -> Result<Asker<Best>, E> {
        let mut running = self.running();
        let proven = self.kept.get(&key.proven());
        let there = proven.or_else(|| running.get(key).cloned());
        if let Some(asker) = there.and_then(|shared| shared.ask(due)) {
            telemetry::cache(true);
            return Ok(asker);
        }
        let first = begin()?;
        telemetry::cache(false);
        running.insert(key.clone(), Arc::clone(first.shared()));
        Ok(first)
    }

    /// A guard to drop after an asker of this search.
    #[must_use]
    pub fn leave_later(&self, key: Key, asker: &Asker<Best>) -> Leave {
        Leave {
            cache: self.clone(),
            key,
            shared: Arc::clone(asker.shared()),
        }
    }

    fn running(&self) -> MutexGuard<'_, HashMap<Key, Arc<Shared<Best>>>> {
        // Nothing under the lock can leave the map half-changed.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// When dropped, removes a search from the running ones if it has ended with a proof or nobody
/// waits for it any more, and keeps what it has proven.
#[derive(Debug)]
pub struct Leave {
    cache: Cache,
    key: Key,
    shared: Arc<Shared<Best>>,
}

impl Drop for Leave {
    fn drop(&mut self) {
        let lasts = self.shared.lasts();
        if !lasts && !self.shared.is_idle() {
            return;
        }
        let mut running = self.cache.running();
        // Another search may have taken its place by now.
        let is_there = running.get(&self.key);
        if is_there.is_some_and(|there| Arc::ptr_eq(there, &self.shared)) {
            running.remove(&self.key);
            if lasts && weight(&self.key, &self.shared) <= LARGEST {
                self.cache
                    .kept
                    .insert(self.key.proven(), Arc::clone(&self.shared));
            }
        }
    }
}

/// The approximate size of a question and its answer in bytes.
fn weight(key: &Key, shared: &Shared<Best>) -> u32 {
    let cells = key.question.problem.shape().cells();
    let length = shared.read(|best| best.answer.as_ref().map_or(0, |it| it.solution.len()));
    u32::try_from(1024 + 2 * cells + length).unwrap_or(u32::MAX)
}
