//! Measures the speed of training, resumed from a checkpoint:
//! `cargo run --release --example speed -- CHECKPOINT THREADS MOVES`.
//!
//! Writes no file and does not count the time to read the checkpoint. Prints three lines, each for
//! a third of the moves.

#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use lab2048::learn::{Limit, resume};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [checkpoint, threads, moves] = &arguments[..] else {
        return Err("usage: speed CHECKPOINT THREADS MOVES".into());
    };
    let (threads, moves) = (threads.parse::<usize>()?, moves.parse::<f64>()?);
    let mut training = resume(Path::new(checkpoint))?;
    for _ in 0..3 {
        let (before, begin) = (training.progress().moves, Instant::now());
        let limit = Limit { moves: Some(before + (moves / 3.0) as u64), ..Limit::default() };
        let finished = training.run(threads, limit);
        let speed = (training.progress().moves - before) as f64 / begin.elapsed().as_secs_f64();
        let mean =
            finished.iter().map(|game| f64::from(game.score)).sum::<f64>() / finished.len().max(1) as f64;
        println!("{speed:.0} moves/s on {threads} threads, mean score {mean:.0}");
    }
    Ok(())
}
