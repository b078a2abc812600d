//! The grader: marks, leaderboard, the course's rules as a submission sees them, and submissions
//! that misbehave. Whatever those do, they leave nothing behind, and the next one is graded as if
//! alone.
#![cfg(target_os = "linux")]

mod class;
mod fence;
mod gradebook;
mod hostile;
mod interrupted;
mod marks;
mod messages;
mod results;
#[path = "../support/mod.rs"]
mod support;
mod together;
