//! How the memory that the process may use is divided.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use thiserror::Error;

use super::bytes;

/// Settings that limit how much memory each part of the service may use.
#[derive(Args, Clone, Debug, Default)]
pub struct MemoryArgs {
    /// The memory of the whole process; default: the container's limit, or else the machine's memory. Each memory setting below that is not set gets a share of it; a fifth is kept for connections and the like.
    #[arg(long, env = "LOYD_MEMORY_LIMIT", value_name = "BYTES", value_parser = bytes)]
    pub memory_limit: Option<u64>,

    /// The most memory one search may hold; default: 256M, or half of --memory if that is less.
    #[arg(long, env = "LOYD_MAX_MEMORY", value_name = "BYTES", value_parser = bytes)]
    pub max_memory: Option<u64>,

    /// The most memory all searches and answers together may hold; default: 1G, or 30 % of --memory-limit if that is less.
    #[arg(long, env = "LOYD_MEMORY", value_name = "BYTES", value_parser = bytes)]
    pub memory: Option<u64>,

    /// The memory for the cache of proven answers; default: 16M, or 2 % of --memory-limit if that is less.
    #[arg(long, env = "LOYD_CACHE_MEMORY", value_name = "BYTES", value_parser = bytes)]
    pub cache_memory: Option<u64>,

    /// The memory for pattern databases and tables of exact distances; default: 256M, or 22 % of --memory-limit if that is less. The best pattern databases of the 15-puzzle take 200M (250M to search from either end, 430M with a second set for its hardest boards), lesser ones 40M, 20M and 4M; those of the 24-puzzle take 50M (165M from either end); exact distances of 3×4 and 2×6 take 32M each. Tables that nobody has asked for within a minute make room for others.
    #[arg(long, env = "LOYD_TABLE_MEMORY", value_name = "BYTES", value_parser = bytes)]
    pub table_memory: Option<u64>,

    /// The memory for the tables of the walking distance (136M for all), of pushes (374M for all, 86M for 4×4) and of the learned estimate (37M up to 8×8; beyond, 62M for 10×10 and 1.8G for all sizes), which are built on first use; default: 512M, or 8 % of --memory-limit if that is less. Tables that nobody has asked for in the last minute make room for others; a table that still does not fit is done without. What is left of the room goes to tables that make solutions a little shorter (22M for 5×5 and 6×6, 33M for 7×7, 76M for 8×8, 486M for 10×10), which make room for the others at any time.
    #[arg(long, env = "LOYD_HEURISTIC_MEMORY", value_name = "BYTES", value_parser = bytes)]
    pub heuristic_memory: Option<u64>,

    /// The memory for building tables; default: half of what the others leave of --memory-limit. Beside its place in --table-memory, a table of exact distances takes its size once more while it is built, and a pattern database up to 1.8 times its size (small ones more, but less than 1M). Tables that would take more are not built, but are used if their files are there.
    #[arg(long, env = "LOYD_BUILD_MEMORY", value_name = "BYTES", value_parser = bytes)]
    pub build_memory: Option<u64>,
}

/// The shares of the memory, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// For one search, out of `searches`.
    pub search: u64,
    /// For all searches and answers together.
    pub searches: u64,
    /// For the cache of proven answers.
    pub cache: u64,
    /// For tables of exact distances and pattern databases.
    pub tables: u64,
    /// For the tables of heuristics (walking distance, pushes, learned estimate).
    pub heuristics: u64,
    /// For building a table.
    pub build: u64,
}

/// The default of the most memory of one search, where the process has enough of it.
pub const MAX_MEMORY: u64 = 256 << 20;

/// The least memory of one search: the smallest `max_memory_bytes` that the contract lets a request set.
const LEAST_SEARCH: u64 = 1 << 20;

/// The least memory for all searches and answers: with less, a 15-puzzle cannot be begun.
const LEAST_SEARCHES: u64 = 2 << 20;

/// The least memory of the process, which takes 25 MB by itself once boards of all sizes have been asked for.
const LEAST_PROCESS: u64 = 32 << 20;

/// Why the memory settings cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Unusable {
    /// A setting is so small that boards of common sizes could not be served.
    #[error("{setting} {} is too little to serve with: use {} or more", megabytes(*.bytes), megabytes(*.least))]
    TooLittle {
        /// The setting.
        setting: &'static str,
        /// Its value, in bytes.
        bytes: u64,
        /// The least that it must be, in bytes.
        least: u64,
    },
    /// The settings add up to more than there is.
    #[error(
        "--memory {}, --table-memory {}, --heuristic-memory {}, --cache-memory {} and --build-memory {} are together more than the {} that the process may use: lower those that you set, or raise --memory-limit",
        megabytes(.parts.searches), megabytes(.parts.tables), megabytes(.parts.heuristics),
        megabytes(.parts.cache), megabytes(.parts.build), megabytes(*.limit)
    )]
    TooMuch {
        /// The shares they ask for.
        parts: Parts,
        /// The bytes that the process may use.
        limit: u64,
    },
}

fn megabytes(bytes: u64) -> String {
    match bytes {
        ..1024 => bytes.to_string(),
        1024..1_048_576 => format!("{}K", bytes >> 10),
        _ => format!("{}M", bytes >> 20),
    }
}

impl MemoryArgs {
    /// Checks that settings do not contradict each other.
    ///
    /// # Errors
    /// That one search may hold more than all, naming both settings.
    pub(super) fn check(&self) -> Result<(), String> {
        match (self.max_memory, self.memory) {
            (Some(one), Some(all)) if one > all => Err(format!(
                "--max-memory {}, for one search, is more than --memory {}, for all: lower the first or raise the second",
                megabytes(one),
                megabytes(all)
            )),
            _ => Ok(()),
        }
    }

    /// Divides the memory.
    ///
    /// # Errors
    /// When the limit or a share is too small to serve with, or when a limit is known and the shares add up to more.
    pub fn parts(&self) -> Result<Parts, Unusable> {
        let limit = self.limit();
        let parts = self.shares(limit);
        let of_process = match self.memory_limit {
            Some(_) => "--memory-limit",
            None => "the container's memory limit",
        };
        for (setting, bytes, least) in [
            (of_process, limit, LEAST_PROCESS),
            ("--memory", parts.searches, LEAST_SEARCHES),
            ("--max-memory", parts.search, LEAST_SEARCH),
        ] {
            if bytes < least {
                return Err(Unusable::TooLittle {
                    setting,
                    bytes,
                    least,
                });
            }
        }
        let sum = [
            parts.searches,
            parts.cache,
            parts.tables,
            parts.heuristics,
            parts.build,
        ]
        .into_iter()
        .fold(0, u64::saturating_add);
        match self.known_limit() {
            Some(limit) if sum > limit => Err(Unusable::TooMuch { parts, limit }),
            _ => Ok(parts),
        }
    }

    /// Returns the bytes that the process may use: the limit that is set, the container's, or all of the machine's memory.
    #[must_use]
    pub fn limit(&self) -> u64 {
        self.known_limit().unwrap_or_else(machine_memory)
    }

    fn known_limit(&self) -> Option<u64> {
        self.memory_limit.or_else(container_memory)
    }

    /// Returns the bytes that requests may hold while they arrive.
    ///
    /// That is about a third of what is kept for connections, and at most what the largest legal requests of as many
    /// calls as there may be by default would take.
    #[must_use]
    pub fn for_requests(&self) -> u64 {
        (self.limit() / 16).min(256 << 20)
    }

    /// Returns the shares that are set, and the default shares of `limit` for those that are not.
    fn shares(&self, limit: u64) -> Parts {
        let part = |set: Option<u64>, most: u64, percent: u64| {
            set.unwrap_or_else(|| most.min(limit / 100 * percent))
        };
        let searches = part(self.memory, 1 << 30, 30);
        let cache = part(self.cache_memory, 16 << 20, 2);
        let tables = part(self.table_memory, 256 << 20, 22);
        let heuristics = part(self.heuristic_memory, 512 << 20, 8);
        let taken = searches
            .saturating_add(cache)
            .saturating_add(tables)
            .saturating_add(heuristics);
        Parts {
            search: self.max_memory.unwrap_or(MAX_MEMORY.min(searches / 2)),
            searches,
            cache,
            tables,
            heuristics,
            build: self
                .build_memory
                .unwrap_or_else(|| limit.saturating_sub(taken) / 2),
        }
    }
}

/// Returns the lowest limit of the process's control group and its ancestors, if it is less than the machine's
/// memory.
fn container_memory() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let files = groups.lines().flat_map(limit_files);
    // Inside a container, its own group is the root.
    let roots = limit_files("0::/").chain(limit_files("1:memory:/"));
    let limits = files.chain(roots).filter_map(|file| number(&file));
    limits.min().filter(|&limit| limit < machine_memory())
}

/// Returns the files that may hold the limit of a group in `/proc/self/cgroup` or of its ancestors.
fn limit_files(line: &str) -> impl Iterator<Item = PathBuf> {
    let mut fields = line.splitn(3, ':').skip(1);
    let (controllers, group) = (fields.next(), fields.next().unwrap_or("/"));
    let (root, file) = match controllers {
        Some("") => ("/sys/fs/cgroup", "memory.max"),
        _ => ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
    };
    let is_memory = controllers.is_some_and(|controllers| {
        controllers.is_empty() || controllers.split(',').any(|it| it == "memory")
    });
    let group = PathBuf::from(group.trim_start_matches('/'));
    let groups: Vec<PathBuf> = group.ancestors().map(Path::to_path_buf).collect();
    let files = groups
        .into_iter()
        .map(move |group| Path::new(root).join(group).join(file));
    files.filter(move |_| is_memory)
}

fn number(file: &Path) -> Option<u64> {
    fs::read_to_string(file).ok()?.trim().parse().ok()
}

fn machine_memory() -> u64 {
    let all = fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("MemTotal:"))?;
        let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
        Some(kilobytes * 1024)
    });
    all.unwrap_or(u64::MAX)
}
