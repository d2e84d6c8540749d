//! Tests the aims of `schedule` for machines with many cores, with the simulation of
//! `benches/simulation.rs`.

#[allow(
    dead_code,
    unreachable_pub,
    reason = "the bench prints more than is promised"
)]
#[path = "../../benches/simulation.rs"]
mod simulation;

#[test]
fn small_worlds_run_near_the_ideal_on_128() {
    let ((in_use, waiting), private) = (
        simulation::small_world_in_use(),
        simulation::small_world_private(),
    );
    assert!(in_use <= simulation::AIM, "{in_use:.3} of ideal");
    assert!(
        private > 1.5,
        "private batches are what the rule is there to beat, and came to {private:.3}"
    );

    assert!(
        waiting <= simulation::WAITING_AIM,
        "{waiting} finished tiles waited for their parents"
    );
}

#[test]
fn in_a_large_world_few_finished_tiles_wait() {
    let (in_use, waiting) = simulation::square_in_use();
    assert!(in_use <= simulation::AIM, "{in_use:.3} of ideal");
    assert!(
        waiting <= simulation::WAITING_AIM_IN_SQUARE,
        "{waiting} finished tiles waited for their parents"
    );
}
