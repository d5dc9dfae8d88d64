//! No promise without an attack on it.

use stockade::{Guarantee, LimitId};

use crate::place::corpus;

#[test]
fn every_guarantee_has_a_probe() {
    let without: Vec<_> = Guarantee::ALL
        .iter()
        .filter(|guarantee| corpus().on_guarantee(**guarantee).next().is_none())
        .map(|guarantee| guarantee.slug())
        .collect();
    assert_eq!(without, [""; 0]);
}

#[test]
fn every_limit_has_a_probe() {
    let without: Vec<_> = LimitId::ALL
        .into_iter()
        .filter(|limit| corpus().on_limit(*limit).next().is_none())
        .map(LimitId::name)
        .collect();
    assert_eq!(without, [""; 0]);
}
