//! Weight files of TDL2048+: a valid one becomes a network that can be written and read, everything
//! else is refused with one line.
#![no_main]

use std::io::Cursor;

use lab2048::ntuple::NetworkFile;
use lab2048_fuzz::assert_one_line;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    // The bytes as a file, and as what follows the beginning of a file with one table.
    check(bytes);
    check(&[b"\0\x01\0\0\0\x04", bytes].concat());
});

fn check(bytes: &[u8]) {
    match NetworkFile::from_tdl(&mut Cursor::new(bytes)) {
        Ok(file) => {
            let written = NetworkFile::to_bytes(&file.network, file.notes);
            let again = NetworkFile::from_bytes(&written).expect("a written network can be read");
            assert_eq!(again.network.shape(), file.network.shape());
        }
        Err(error) => assert_one_line(error),
    }
}
