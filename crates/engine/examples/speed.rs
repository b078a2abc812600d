use std::time::Instant;
use lab2048::learn::{Limit, resume};
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let mut t = resume(std::path::Path::new(&a[1])).unwrap();
    let threads: usize = a[2].parse().unwrap();
    let moves: f64 = a[3].parse().unwrap();
    for _ in 0..3 {
        let p = t.progress();
        let b = Instant::now();
        let f = t.run(threads, Limit { moves: Some(p.moves + moves as u64 / 3), ..Limit::default() });
        let s = b.elapsed().as_secs_f64();
        let m = f.iter().map(|f| f64::from(f.score)).sum::<f64>() / f.len().max(1) as f64;
        println!("speed {threads} threads: {:.0} moves/s mean {m:.0}", (t.progress().moves - p.moves) as f64 / s);
    }
}
