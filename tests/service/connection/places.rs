//! Who gets the last places of connections.

use std::iter::from_fn;
use std::net::IpAddr;
use std::sync::Arc;

use loyd::service::Places;

/// An IPv4 address of its own for each number.
fn address(number: u32) -> IpAddr {
    IpAddr::V4(number.into())
}

fn parsed(address: &str) -> IpAddr {
    address.parse().unwrap()
}

/// Takes all places that an address gets, and returns how many those are.
fn take_all(places: &Arc<Places>, address: IpAddr) -> usize {
    let taken: Vec<_> = from_fn(|| places.take(address)).collect();
    taken.len()
}

#[test]
fn whoever_takes_all_it_gets_leaves_some_to_others() {
    let places = Arc::new(Places::new(800));
    let most: Vec<_> = from_fn(|| places.take(address(1))).collect();
    // An eighth is kept, of which everybody gets eight.
    assert_eq!(most.len(), 708);
    assert_eq!(take_all(&places, address(2)), 8);
    drop(most);
    assert_eq!(take_all(&places, address(2)), 708);
}

#[test]
fn all_places_are_taken_by_many_and_no_more_than_there_are() {
    for all in [1, 7, 8, 100, 4096] {
        let places = Arc::new(Places::new(all));
        let mut taken: Vec<_> = (0..).map_while(|who| places.take(address(who))).collect();
        assert_eq!(taken.len(), all);
        // Whichever is given back, its place is there again.
        taken.remove(all / 2);
        taken.extend(places.take(address(u32::MAX)));
        assert_eq!(taken.len(), all);
    }
}

#[test]
fn a_kept_place_that_is_given_back_can_be_had_again() {
    let places = Arc::new(Places::new(800));
    let _most: Vec<_> = from_fn(|| places.take(address(1))).collect();
    let mut few: Vec<_> = from_fn(|| places.take(address(2))).collect();
    for _ in 0..20 {
        assert!(places.take(address(2)).is_none());
        assert!(few.pop().is_some());
        few.extend(places.take(address(2)));
        assert_eq!(few.len(), 8);
    }
}

#[test]
fn addresses_that_one_peer_can_have_count_as_one() {
    for (address, same, other) in [
        ("192.0.2.1", "::ffff:192.0.2.1", "192.0.2.2"),
        ("2001:db8::1", "2001:db8::ffff:1:2:3", "2001:db8:0:1::1"),
    ] {
        let places = Arc::new(Places::new(800));
        let _most: Vec<_> = from_fn(|| places.take(parsed(address))).collect();
        assert!(places.take(parsed(same)).is_none(), "{same}");
        assert!(places.take(parsed(other)).is_some(), "{other}");
    }
}

#[test]
fn the_last_places_are_kept_only_where_there_are_enough() {
    let places = Arc::new(Places::new(7));
    assert_eq!(take_all(&places, address(1)), 7);
}
