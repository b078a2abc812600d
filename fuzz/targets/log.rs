//! Files of arena records are continued, or refused and not changed.
#![no_main]

use std::{env, fs, process};

use lab2048::arena::{ContestPlan, GameSetup, Log};
use lab2048_fuzz::assert_one_line;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // Near the largest seed, where counting up would overflow.
    let plan = ContestPlan::of_names(GameSetup::default(), u64::MAX - 2, vec!["random".to_owned()]);
    // The bytes as a file, and after a valid header of each version.
    check(bytes, &plan);
    for version in [1, 2] {
        let header = format!(
            "{{\"lab2048\":\"arena\",\"version\":{version},{}\n",
            serde_json::to_string(&plan).expect("a plan can be written").trim_start_matches('{')
        );
        check(&[header.as_bytes(), bytes].concat(), &plan);
    }
});

fn check(bytes: &[u8], plan: &ContestPlan) {
    let path = env::temp_dir().join(format!("lab2048-fuzz-{}.jsonl", process::id()));
    fs::write(&path, bytes).expect("a writable temporary folder");
    let mut seen = 0;
    match Log::open(&path, plan, 3, &mut |_| seen += 1) {
        Ok(log) => {
            assert_eq!(log.records(), seen);
            let (digest, kept) = (log.digest(), fs::read(&path).expect("the file exists"));
            drop(log);
            assert!(bytes.starts_with(&kept), "only an incomplete end is cut off");
            let again = Log::open(&path, plan, 3, &mut |_| {}).expect("the remaining file can be opened");
            assert_eq!((again.records(), again.digest()), (seen, digest));
        }
        Err(error) => {
            assert_one_line(error);
            assert_eq!(fs::read(&path).expect("the file exists"), bytes, "a refused file is not changed");
        }
    }
    fs::remove_file(&path).expect("the file can be removed");
}
