//! Converts moves from the wire contract.

use super::Failure;
use crate::puzzle::Direction;
use crate::service::proto;

pub(super) fn directions(
    moves: impl Iterator<Item = proto::Direction>,
) -> Result<Vec<Direction>, Failure> {
    let direction = |message| match message {
        proto::Direction::Up => Ok(Direction::Up),
        proto::Direction::Down => Ok(Direction::Down),
        proto::Direction::Left => Ok(Direction::Left),
        proto::Direction::Right => Ok(Direction::Right),
        proto::Direction::Unspecified => Err(Failure::Broken(
            "the service sent a move without a direction".to_owned(),
        )),
    };
    moves.map(direction).collect()
}
