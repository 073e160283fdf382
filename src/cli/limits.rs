//! The limits of a question.

use std::time::Duration;

use clap::Args;

use crate::config::{TableDirArg, bytes};
use crate::service::proto;

/// The limits that were asked for.
#[derive(Args, Clone, Debug, Default)]
pub struct LimitArgs {
    /// The most nodes to generate.
    #[arg(long, value_name = "NODES")]
    pub max_nodes: Option<u64>,

    /// The most time to take, such as 500ms, 10s or 2m.
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    pub max_time: Option<Duration>,

    /// The most memory the search may hold, such as 64M or 2G.
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub max_memory: Option<u64>,

    /// The folder of the tables.
    #[command(flatten)]
    pub tables: TableDirArg,
}

impl LimitArgs {
    pub(super) fn message(&self) -> proto::Limits {
        proto::Limits {
            max_nodes: self.max_nodes,
            max_time: self
                .max_time
                .and_then(|time| time.min(proto::LONGEST_DURATION).try_into().ok()),
            max_memory_bytes: self.max_memory,
        }
    }
}
