//! Lines of arena records are read and can be written back, or refused with one line.
#![no_main]

use lab2048::arena::{PlannedPlayer, Record};
use lab2048_fuzz::assert_one_line;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|line: &[u8]| {
    let players = ["random", "greedy"].map(PlannedPlayer::named);
    match Record::read_line(line, &players) {
        Ok(record) => {
            let mut written = Vec::new();
            record.write_line(&players[record.player].spec, &mut written);
            let again = Record::read_line(&written, &players).expect("a written record can be read");
            assert_eq!(
                (again.seed, again.player, &again.result),
                (record.seed, record.player, &record.result)
            );
        }
        Err(error) => assert_one_line(error),
    }
});
