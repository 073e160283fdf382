//! How the memory that the process may use is shared out.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use thiserror::Error;

use super::bytes;

/// Settings of what may take how much memory.
#[derive(Args, Clone, Debug, Default)]
pub struct MemoryArgs {
    /// The memory of the whole process; default: the container's limit, or else the machine's memory. What has no setting of its own gets its part of it; a fifth is kept for connections and the like.
    #[arg(long, env = "LOYD_MEMORY_LIMIT", value_name = "BYTES", value_parser = bytes)]
    pub memory_limit: Option<u64>,

    /// The most memory that one search may hold; default: 256M, or half of --memory if that is less.
    #[arg(long, env = "LOYD_MAX_MEMORY", value_name = "BYTES", value_parser = bytes)]
    pub max_memory: Option<u64>,

    /// The most memory that all searches and answers together may hold; default: 1G, or 30 % of --memory-limit if that is less.
    #[arg(long, env = "LOYD_MEMORY", value_name = "BYTES", value_parser = bytes)]
    pub memory: Option<u64>,

    /// The memory for answers that are kept because they are proven; default: 16M, or 2 % of --memory-limit if that is less.
    #[arg(long, env = "LOYD_CACHE_MEMORY", value_name = "BYTES", value_parser = bytes)]
    pub cache_memory: Option<u64>,

    /// The memory for tables; default: 256M, or 22 % of --memory-limit if that is less. 200M for the best pattern databases of the 15-puzzle (250M to search from either end, 430M with others for its hardest boards), 40M, 20M and 4M for lesser ones; 50M for those of the 24-puzzle (165M from either end); 32M each for exact distances of 3×4 and 2×6. Those used least recently make room for others.
    #[arg(long, env = "LOYD_TABLE_MEMORY", value_name = "BYTES", value_parser = bytes)]
    pub table_memory: Option<u64>,

    /// The memory for the tables of the walking distance (142M for all), of pushes (86M) and of the learned estimate (160M up to 8×8; beyond, 65M for 10×10 and 1.8G for all sizes), which are made when they are first wanted; default: 512M, or 8 % of --memory-limit if that is less. What nobody has asked for in the last minute makes room for others; what there is still no room for is done without.
    #[arg(long, env = "LOYD_HEURISTIC_MEMORY", value_name = "BYTES", value_parser = bytes)]
    pub heuristic_memory: Option<u64>,

    /// The most memory to take while a table is built, twice what it takes then; default: half of what the others leave of --memory-limit. Tables that would take more are used if their files are there.
    #[arg(long, env = "LOYD_BUILD_MEMORY", value_name = "BYTES", value_parser = bytes)]
    pub build_memory: Option<u64>,
}

/// The parts of the memory, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// For one search, of those for all.
    pub search: u64,
    /// For all searches and answers.
    pub searches: u64,
    /// For proven answers that are kept.
    pub cache: u64,
    /// For tables of exact distances and pattern databases.
    pub tables: u64,
    /// For the tables of heuristics.
    pub heuristics: u64,
    /// To build a table.
    pub build: u64,
}

/// The least that a search may hold: what the contract lets a question allow it at the least.
const LEAST_SEARCH: u64 = 1 << 20;

/// The least for all searches and answers: with less a 15-puzzle cannot be begun.
const LEAST_SEARCHES: u64 = 2 << 20;

/// The least for the process, which takes 25 MB by itself when boards of all sizes have been asked for.
const LEAST_PROCESS: u64 = 32 << 20;

/// Why the memory cannot be shared out so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Unusable {
    /// A setting is so small that boards of common sizes could not be served.
    #[error("{setting} {} is too little to serve with: say {} or more", megabytes(*.bytes), megabytes(*.least))]
    TooLittle {
        /// Which one.
        setting: &'static str,
        /// What it says.
        bytes: u64,
        /// What it takes.
        least: u64,
    },
    /// The settings ask for more than there is.
    #[error(transparent)]
    TooMuch(#[from] TooMuch),
}

/// The settings ask for more than there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "--memory {}, --table-memory {}, --heuristic-memory {}, --cache-memory {} and --build-memory {} are together more than the {} that the process may use: lower those that you set, or raise --memory-limit",
    megabytes(.parts.searches), megabytes(.parts.tables), megabytes(.parts.heuristics),
    megabytes(.parts.cache), megabytes(.parts.build), megabytes(*.limit)
)]
pub struct TooMuch {
    /// What they ask for.
    pub parts: Parts,
    /// What the process may use.
    pub limit: u64,
}

fn megabytes(bytes: u64) -> String {
    match bytes >> 20 {
        0 => format!("{}K", bytes >> 10),
        megabytes => format!("{megabytes}M"),
    }
}

impl MemoryArgs {
    /// Shares the memory out.
    ///
    /// # Errors
    /// When a limit is known, and all parts together are more, or one is too small to serve with.
    pub fn parts(&self) -> Result<Parts, Unusable> {
        let known = self.memory_limit.or_else(container_memory);
        let limit = known.unwrap_or_else(machine_memory);
        let parts = self.shares(limit);
        for (setting, bytes, least) in [
            ("--memory-limit", limit, LEAST_PROCESS),
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
        match known {
            Some(limit) if sum > limit => Err(TooMuch { parts, limit }.into()),
            _ => Ok(parts),
        }
    }

    /// The bytes of requests that have arrived in part: of what is kept for connections about a third, and no more than
    /// the largest legal requests of all calls that there may be by default.
    #[must_use]
    pub fn for_requests(&self) -> u64 {
        let known = self.memory_limit.or_else(container_memory);
        let limit = known.unwrap_or_else(machine_memory);
        (limit / 16).min(256 << 20)
    }

    /// What is set, and the parts of a limit of what is not.
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
            search: self.max_memory.unwrap_or((256 << 20).min(searches / 2)),
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

/// The limit of the process's control group, or of one that it is in, if it is less than the
/// machine's memory.
fn container_memory() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let files = groups.lines().flat_map(limit_files);
    // Within a container its own group is the root.
    let roots = limit_files("0::/").chain(limit_files("1:memory:/"));
    let limits = files.chain(roots).filter_map(|file| number(&file));
    limits.min().filter(|&limit| limit < machine_memory())
}

/// The files that may have the limit of a group of `/proc/self/cgroup`, or of those that it is in.
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
