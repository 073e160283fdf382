//! The places of connections: how many may be open, and how few of the last ones from one network.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// One place in so many is kept.
const KEPT: usize = 8;

/// The most kept places for one network.
const FEW: usize = 8;

/// The places that all connections share. Some are kept from whoever holds many: otherwise a single peer that does
/// nothing but connect would keep out all others.
#[derive(Debug)]
pub struct Places {
    /// How many are for anybody.
    free: usize,
    /// How many are kept.
    kept: usize,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    /// Of those for anybody.
    free: usize,
    /// Of those that are kept, by network. No network is without.
    kept: HashMap<IpAddr, usize>,
}

/// The place of a connection, which is given back when dropped.
#[derive(Debug)]
pub struct Place {
    places: Arc<Places>,
    /// For a place of those that are kept: whose it is.
    network: Option<IpAddr>,
}

impl Places {
    /// So many places in all.
    #[must_use]
    pub fn new(all: usize) -> Self {
        let kept = all / KEPT;
        Self {
            free: all - kept,
            kept,
            taken: Mutex::default(),
        }
    }

    /// Takes a place for a connection from `address`, if there is one for it.
    #[must_use]
    pub fn take(self: &Arc<Self>, address: IpAddr) -> Option<Place> {
        let mut taken = self.taken();
        let network = if taken.free < self.free {
            taken.free += 1;
            None
        } else if taken.kept.values().sum::<usize>() < self.kept {
            let network = network(address);
            let few = taken.kept.entry(network).or_default();
            if *few == FEW {
                return None;
            }
            *few += 1;
            Some(network)
        } else {
            return None;
        };
        drop(taken);
        Some(Place {
            places: Arc::clone(self),
            network,
        })
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.taken();
        let Some(network) = self.network else {
            taken.free -= 1;
            return;
        };
        if let Some(few) = taken.kept.get_mut(&network) {
            *few -= 1;
            if *few == 0 {
                taken.kept.remove(&network);
            }
        }
    }
}

/// What counts as one peer: an IPv4 address, or the /64 of an IPv6 address, of which everybody has at least one.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let mut segments = address.segments();
            segments[4..].fill(0);
            Ipv6Addr::from(segments).into()
        }
        address @ IpAddr::V4(_) => address,
    }
}
