//! Values by keys of which there are few: each is made when it is first asked for, and kept.

use std::sync::{PoisonError, RwLock};

/// As many values as there are different keys: who asks with keys that a stranger can choose should
/// bound them first.
pub(crate) struct Few<K, V> {
    known: RwLock<Vec<(K, V)>>,
    make: fn(&K) -> V,
}

impl<K: PartialEq, V> Few<K, V> {
    /// Values that are made so.
    pub(crate) const fn new(make: fn(&K) -> V) -> Self {
        Self {
            known: RwLock::new(Vec::new()),
            make,
        }
    }

    /// Does something with a key's value.
    pub(crate) fn with<T>(&self, key: K, act: impl FnOnce(&V) -> T) -> T {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, value)) = known.iter().find(|(other, _)| *other == key) {
            return act(value);
        }
        drop(known);
        let value = (self.make)(&key);
        let done = act(&value);
        // Two who come at once make the same value: to keep it twice does no harm.
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.push((key, value));
        done
    }
}
