//! What `schedule` promises of machines with many cores, by the simulation of `benches/simulation.rs`.

#[allow(dead_code, unreachable_pub, reason = "the bench prints more than is promised")]
#[path = "../benches/simulation.rs"]
mod simulation;

#[test]
fn at_128_workers_a_small_world_takes_at_most_a_twentieth_more_than_the_ideal() {
    let (in_use, private) = simulation::ratios_in_use_and_private();
    assert!(in_use <= simulation::AIM, "{in_use:.3} of ideal");
    assert!(private > 1.5, "private batches are what the rule is there to beat, and came to {private:.3}");
}
