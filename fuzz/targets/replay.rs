//! Replays: the bytes as they are, and with a correct checksum, so that the code behind the check
//! is reached.
#![no_main]

use lab2048::game::Replay;
use lab2048_fuzz::assert_one_line;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    check(bytes);
    let mut signed = bytes.to_vec();
    signed.extend(format!("crc32 {:08x}\n", crc32fast::hash(bytes)).bytes());
    check(&signed);
    for read in [Replay::from_verse(bytes).map_err(Into::into), Replay::read_any(bytes)] {
        match read {
            Ok(replay) => play(&replay),
            Err(error) => assert_one_line(error),
        }
    }
});

fn check(bytes: &[u8]) {
    match Replay::from_text(bytes) {
        Ok(replay) => play(&replay),
        Err(error) => assert_one_line(error),
    }
}

fn play(replay: &Replay) {
    let text = replay.to_text();
    assert_eq!(Replay::from_text(text.as_bytes()).as_ref(), Ok(replay));
    if let Err(fault) = replay.verify() {
        assert_one_line(fault);
    }
    let last = replay.positions().last();
    assert!(last.is_some(), "there is a first position or an error");
}
