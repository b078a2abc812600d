//! Training checkpoints: a valid run can continue, everything else is refused with one line.
#![no_main]

use std::{env, fs, process};

use lab2048::learn::{Limit, resume};
use lab2048_fuzz::{assert_one_line, put_checked};
use libfuzzer_sys::fuzz_target;

/// Larger networks are not trained here, because they need too much memory.
const MOST_WEIGHTS: usize = 1 << 20;

/// A run with one table of two cells.
const HEADER: &[u8] =
    br#"{"recipe":{"shape":{"patterns":["2x2","01"],"stages":"one","top":11,"start_value":0.0},"rule":"td",
"order":"backward","rate":"1","restart":100,"stage_starts":0.0,"four":0.1,"seed":1,"single_games":1000},
"progress":{"episodes":20,"games":20,"moves":154,"seconds":0.0},"pending":[0],"entries":[],"words":256}"#;

fuzz_target!(|bytes: &[u8]| {
    // The bytes as a file, as a header without blocks, and as the block of a small run. The last
    // two have correct checksums.
    check(bytes);
    let start = b"L2048TRN\x01\0\0\0";
    let mut file = start.to_vec();
    put_checked(&mut file, bytes);
    file.extend([[0xff; 4], [0; 4], [0; 4]].concat());
    check(&file);
    let mut file = start.to_vec();
    put_checked(&mut file, HEADER);
    file.extend([0; 4]);
    put_checked(&mut file, bytes);
    file.extend([[0xff; 4], [1, 0, 0, 0], [0; 4]].concat());
    check(&file);
});

fn check(bytes: &[u8]) {
    let path = env::temp_dir().join(format!("lab2048-fuzz-{}.checkpoint", process::id()));
    fs::write(&path, bytes).expect("a writable temporary folder");
    let resumed = resume(&path);
    if resumed.is_ok() {
        fs::write(&path, [bytes, &[0]].concat()).expect("a writable temporary folder");
        assert!(resume(&path).is_err(), "a checkpoint with one byte more is refused");
    }
    match resumed {
        Ok(mut training) if training.recipe().shape.weights() <= MOST_WEIGHTS => {
            let episodes = training.progress().episodes.saturating_add(3);
            training.run(1, Limit { episodes: Some(episodes), ..Limit::default() });
            assert!(training.progress().episodes <= episodes);
        }
        Ok(_) => {}
        Err(error) => assert_one_line(error),
    }
    fs::remove_file(&path).expect("the file can be removed");
}
