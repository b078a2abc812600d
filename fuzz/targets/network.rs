//! Network files: a valid one can be written and read again unchanged, everything else is refused
//! with one line.
#![no_main]

use lab2048::ntuple::NetworkFile;
use lab2048_fuzz::{assert_one_line, put_checked};
use libfuzzer_sys::fuzz_target;

/// One table of two cells, 256 weights.
const HEADER: &[u8] =
    br#"{"shape":{"patterns":["2x2","01"],"stages":"one","top":11,"start_value":0.0},"unit":1.0,"notes":{}}"#;

fuzz_target!(|bytes: &[u8]| {
    // The bytes as a file, as a header, and as the compressed weights of a small network. The last
    // two have correct checksums.
    check(bytes);
    let mut file = b"L2048NET\x02\0\0\0".to_vec();
    let small = file.clone();
    put_checked(&mut file, bytes);
    check(&file);
    let mut file = small;
    put_checked(&mut file, HEADER);
    put_checked(&mut file, bytes);
    check(&file);
});

fn check(bytes: &[u8]) {
    match NetworkFile::from_bytes(bytes) {
        Ok(file) => {
            let written = NetworkFile::to_bytes(&file.network, file.notes);
            let again = NetworkFile::from_bytes(&written).expect("a written network can be read");
            assert!(
                NetworkFile::to_bytes(&again.network, again.notes) == written,
                "the second file is the same"
            );
        }
        Err(error) => assert_one_line(error),
    }
}
