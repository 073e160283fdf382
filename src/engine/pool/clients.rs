//! The queue of waiting tasks, by client. The client that has had least service for its weight
//! comes first. Of its tasks, the one that has had least service goes first; among newcomers, the
//! one of the lowest rank. Now and then another task gets a turn, since it would wait forever if
//! newcomers never stopped arriving.
//!
//! All calls without a name count as one client; if no call has a name, it is the only one. A
//! client that arrives or comes back starts level with those being served: nobody saves up service
//! by asking for nothing. (Start-time fair queueing; Goyal, Vin and Cheng, 1996.)

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::Task;
use crate::engine::rank::{Rank, Ranked};

/// Clients with tasks are always remembered. Up to this many others are remembered while they owe service.
const MOST_DEBTORS: usize = 1024;

/// After this many turns in a row in which tasks of a client that had more service, or came
/// earlier, were passed over, one of those gets a turn. With a steady flow of newcomers, none would
/// ever get one otherwise.
const MOST_PASSED_OVER: u32 = 3;

/// How many kinds of passed-over task take turns at that.
const EXCEPTIONS: usize = 4;

/// The client that a task is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// Its name.
    pub name: Arc<str>,
    /// Its weight against other clients, for service and for places.
    pub weight: NonZeroU32,
}

impl Client {
    /// Whether a text is legal as a name: 1 to 253 bytes of printable ASCII without spaces. That is the length of
    /// the longest DNS name, and most workloads' URIs (SPIFFE) are shorter.
    #[must_use]
    pub fn is_name(text: &str) -> bool {
        (1..=253).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
    }

    /// Reads a weight, a number from 1 to 1000.
    #[must_use]
    pub fn read_weight(text: &str) -> Option<NonZeroU32> {
        let weight = text.parse().ok();
        weight.filter(|weight: &NonZeroU32| weight.get() <= 1000)
    }
}

/// The number of a client's account while it is remembered.
pub(super) type Number = u64;

/// The account of all callers without a name.
const NAMELESS: Number = 0;

struct Account {
    name: Option<Arc<str>>,
    weight: NonZeroU32,
    /// The service it has had per unit of its weight, counted from where it started.
    charged: Duration,
    /// The number of its tasks, waiting or not.
    tasks: usize,
    /// The number of its waiting tasks that have had no service.
    fresh: Ranked<usize>,
    /// In how many of its last turns a task was passed over that had had more service or had waited longer.
    passed_over: u32,
    /// Which kind of passed-over task had a turn last.
    last_exception: usize,
    /// The waiting tasks.
    waiting: BTreeMap<Order, Waiter>,
    /// The waiting tasks that have had service, starting with the one whose last turn is the longest ago.
    begun: BTreeMap<u64, Order>,
}

/// A waiting task, numbered in the order in which tasks began to wait.
struct Waiter {
    task: Box<dyn Task>,
    number: u64,
}

/// A task's place among those of its client: by the service it has had, then rank, then age.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Order {
    pub(super) service: Duration,
    pub(super) rank: Rank,
    pub(super) id: u64,
}

impl Order {
    /// Sorts before all tasks that have had service.
    const SERVED: Self = Self {
        service: Duration::from_nanos(1),
        rank: Rank::FIRST,
        id: 0,
    };

    /// Sorts before all newcomers of a rank.
    const fn newcomer(rank: Rank) -> Self {
        Self {
            service: Duration::ZERO,
            rank,
            id: 0,
        }
    }

    /// Whether the task has had no service.
    pub(super) const fn is_fresh(&self) -> bool {
        self.service.is_zero()
    }
}

/// A task that was taken from the queue.
pub(super) struct Taken {
    pub(super) client: Number,
    pub(super) order: Order,
    pub(super) task: Box<dyn Task>,
}

/// The accounts of all clients.
pub(super) struct Clients {
    accounts: HashMap<Number, Account>,
    numbers: HashMap<Arc<str>, Number>,
    /// Clients with waiting tasks, by what they have been charged.
    order: BTreeSet<(Duration, Number)>,
    /// Named clients without tasks, by what they have been charged.
    idle: BTreeSet<(Duration, Number)>,
    /// What the client served last had been charged. Others start from here.
    level: Duration,
    waiting: usize,
    /// How many of the waiting tasks have had no service.
    fresh: Arc<AtomicUsize>,
    next: Number,
    next_waiter: u64,
}

impl Default for Clients {
    fn default() -> Self {
        let nameless = Account::new(None, NonZeroU32::MIN);
        Self {
            accounts: HashMap::from([(NAMELESS, nameless)]),
            numbers: HashMap::new(),
            order: BTreeSet::new(),
            idle: BTreeSet::new(),
            level: Duration::ZERO,
            waiting: 0,
            fresh: Arc::default(),
            next: NAMELESS + 1,
            next_waiter: 0,
        }
    }
}

impl Account {
    fn new(name: Option<Arc<str>>, weight: NonZeroU32) -> Self {
        Self {
            name,
            weight,
            charged: Duration::ZERO,
            tasks: 0,
            fresh: Ranked::default(),
            passed_over: 0,
            last_exception: EXCEPTIONS - 1,
            waiting: BTreeMap::new(),
            begun: BTreeMap::new(),
        }
    }

    /// Moves an account up to `level`: service that it did not ask for is not made up later. One with waiting tasks
    /// is never below it.
    fn catch_up(&mut self, level: Duration) {
        self.charged = self.charged.max(level);
    }

    /// The task whose turn it is.
    fn choose(&mut self) -> Option<Order> {
        let mut waiting = self.waiting.keys();
        let &least = waiting.next()?;
        let &most = waiting.next_back().unwrap_or(&least);
        let oldest = self.oldest_newcomer().filter(|oldest| oldest.id < least.id);
        let is_passed_over = most.service > least.service || oldest.is_some();
        if !is_passed_over || self.passed_over < MOST_PASSED_OVER {
            self.passed_over = if is_passed_over {
                self.passed_over + 1
            } else {
                0
            };
            return Some(least);
        }
        self.passed_over = 0;
        // The task with most service continues, the one with little is near its end, those in
        // between are not forgotten, and a newcomer was promised something. They take turns.
        let little = self.waiting.range(Order::SERVED..).next();
        let longest_ago = self.begun.first_key_value();
        let exceptions: [_; EXCEPTIONS] = [
            Some(most).filter(|most| !most.is_fresh()),
            little.map(|(&order, _)| order),
            longest_ago.map(|(_, &order)| order),
            oldest,
        ];
        let turns = (1..=EXCEPTIONS).map(|turn| self.last_exception + turn);
        let (exception, chosen) = turns
            .map(|turn| turn % EXCEPTIONS)
            .find_map(|turn| Some((turn, exceptions[turn]?)))?;
        self.last_exception = exception;
        Some(chosen)
    }

    /// The earliest arrival among tasks that have had no service.
    fn oldest_newcomer(&self) -> Option<Order> {
        let first_of = |rank| self.waiting.range(Order::newcomer(rank)..).next();
        let ranks = self.fresh.ranks().filter(|&(_, &count)| count > 0);
        let firsts = ranks.filter_map(|(rank, _)| Some(*first_of(rank)?.0));
        firsts.min_by_key(|order| order.id)
    }
}

impl Clients {
    /// The number of waiting tasks.
    pub(super) const fn waiting(&self) -> usize {
        self.waiting
    }

    /// The number of waiting tasks that have had no service, so that running tasks can read it
    /// without the lock.
    pub(super) fn fresh(&self) -> Arc<AtomicUsize> {
        Arc::clone(&self.fresh)
    }

    /// The number of named clients that are remembered.
    pub(super) fn named(&self) -> usize {
        self.numbers.len()
    }

    /// Whether a client may have one more task when `free` places are left. Beside others it may
    /// hold as many places as it leaves free, times its weight: one client alone can have half of
    /// all places, two a third each, and the next one always finds some.
    pub(super) fn has_share(&self, client: Option<&Client>, free: usize) -> bool {
        let is_without_names = self.numbers.is_empty();
        let held = self.find(client).map_or(0, |account| account.tasks);
        let weight = client.map_or(1, |client| client.weight.get() as usize);
        is_without_names || held < weight.saturating_mul(free)
    }

    fn find(&self, client: Option<&Client>) -> Option<&Account> {
        let number = match client {
            Some(client) => self.numbers.get(&client.name)?,
            None => &NAMELESS,
        };
        self.accounts.get(number)
    }

    /// How many turns come before the first turn of a client's next newcomer of a rank: one for each of
    /// the client's own newcomers ahead of it, and as many for each other client with waiting tasks.
    pub(super) fn ahead(&self, client: Option<&Client>, rank: Rank) -> usize {
        let account = self.find(client);
        let own = account.map_or(0, |account| account.fresh.up_to(rank).sum());
        let waits = account.is_some_and(|account| !account.waiting.is_empty());
        let others = self.order.len() - usize::from(waits);
        own + (own * others).min(self.waiting)
    }

    /// Registers a task of a client, and returns the number of the account that it belongs to until
    /// it is over.
    pub(super) fn enter(&mut self, client: Option<&Client>) -> Number {
        let number = client.map_or(NAMELESS, |client| self.number(client));
        if let Some(account) = self.accounts.get_mut(&number) {
            self.idle.remove(&(account.charged, number));
            // The client's weight may have changed.
            account.weight = client.map_or(NonZeroU32::MIN, |client| client.weight);
            account.catch_up(self.level);
            account.tasks += 1;
        }
        number
    }

    fn number(&mut self, client: &Client) -> Number {
        if let Some(&number) = self.numbers.get(&client.name) {
            return number;
        }
        let number = self.next;
        self.next += 1;
        let account = Account::new(Some(Arc::clone(&client.name)), client.weight);
        self.accounts.insert(number, account);
        self.numbers.insert(Arc::clone(&client.name), number);
        number
    }

    /// A task of the client is over.
    pub(super) fn leave(&mut self, number: Number) {
        let Some(account) = self.accounts.get_mut(&number) else {
            return;
        };
        account.tasks -= 1;
        if account.tasks == 0 && number != NAMELESS {
            self.idle.insert((account.charged, number));
        }
        self.forget();
    }

    /// Forgets clients without tasks that owe nothing any more, and, when there are too many, those
    /// that owe least.
    fn forget(&mut self) {
        while let Some(&(charged, number)) = self.idle.first() {
            if charged > self.level && self.idle.len() <= MOST_DEBTORS {
                return;
            }
            self.idle.pop_first();
            let account = self.accounts.remove(&number);
            if let Some(name) = account.and_then(|account| account.name) {
                self.numbers.remove(&name);
            }
        }
    }

    /// Charges a client for service outside of a task.
    pub(super) fn charge_once(&mut self, client: Option<&Client>, spent: Duration) {
        let number = self.enter(client);
        self.charge(number, spent);
        self.leave(number);
    }

    /// Charges a client for service that one of its tasks has had.
    pub(super) fn charge(&mut self, number: Number, spent: Duration) {
        let Some(account) = self.accounts.get_mut(&number) else {
            return;
        };
        let before = account.charged;
        account.charged += spent / account.weight.get();
        if self.order.remove(&(before, number)) {
            self.order.insert((account.charged, number));
        }
    }

    /// Puts a task of a client in the queue.
    pub(super) fn push(&mut self, number: Number, order: Order, task: Box<dyn Task>) {
        if let Some(account) = self.accounts.get_mut(&number) {
            let waiter = Waiter {
                task,
                number: self.next_waiter,
            };
            self.next_waiter += 1;
            account.catch_up(self.level);
            if order.is_fresh() {
                *account.fresh.of_mut(order.rank) += 1;
                self.fresh.fetch_add(1, Ordering::Relaxed);
            } else {
                account.begun.insert(waiter.number, order);
            }
            account.waiting.insert(order, waiter);
            self.order.insert((account.charged, number));
            self.waiting += 1;
        }
    }

    /// Takes the task whose turn it is.
    pub(super) fn pop(&mut self) -> Option<Taken> {
        let &(charged, number) = self.order.first()?;
        // Nobody who waits has been charged less than those served before.
        self.level = charged;
        let order = self.accounts.get_mut(&number)?.choose()?;
        self.remove(number, order)
    }

    /// Takes a particular waiting task.
    pub(super) fn remove(&mut self, client: Number, order: Order) -> Option<Taken> {
        let account = self.accounts.get_mut(&client)?;
        let Waiter { task, number } = account.waiting.remove(&order)?;
        if order.is_fresh() {
            *account.fresh.of_mut(order.rank) -= 1;
            self.fresh.fetch_sub(1, Ordering::Relaxed);
        } else {
            account.begun.remove(&number);
        }
        if account.waiting.is_empty() {
            self.order.remove(&(account.charged, client));
        }
        self.waiting -= 1;
        Some(Taken {
            client,
            order,
            task,
        })
    }

    /// Takes all waiting tasks.
    pub(super) fn drain(&mut self) -> Vec<Box<dyn Task>> {
        std::iter::from_fn(|| self.pop())
            .map(|taken| taken.task)
            .collect()
    }
}
