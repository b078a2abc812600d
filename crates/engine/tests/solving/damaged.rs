//! Damaged table files: refused, never believed.

use std::fs;
use std::path::Path;

use lab2048::board::Afterstate;
use lab2048::solve::{Goal, Place, SubGame, Table, TableError, draw_position, solve_to_file};

use super::support::{TENTH, board, endgame, job, on_board, tile};

/// A table as a file, and positions that it knows.
struct Tiny {
    bytes: Vec<u8>,
    afterstates: Vec<Afterstate>,
    values: Vec<f64>,
}

fn tiny(game: &SubGame, pictures: &[&str]) -> Tiny {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tiny.table");
    solve_to_file(game, &path, &job(1)).unwrap().unwrap();
    let table = Table::open(&path).unwrap();
    table.verify().unwrap();
    let afterstates: Vec<Afterstate> = pictures.iter().map(|picture| board(picture).pass()).collect();
    let value = |after| table.value_of(after).unwrap().expect("the table knows it");
    let values = afterstates.iter().map(value).collect();
    let bytes = fs::read(&path).unwrap();
    assert_eq!(bytes.len() as u64, table.bytes());
    Tiny { bytes, afterstates, values }
}

/// A table with points and one with chances.
fn both() -> [Tiny; 2] {
    let score = tiny(&on_board("2x2", Goal::Score), &["4 ./. .", "2 4/. .", "16 2/4 .", "16 8/4 ."]);
    // Four free cells in the last row.
    let walls = "0,1,2,3,7,6,5,4,8,9,10,11";
    let row = |last: &str| format!("32768 16384 8192 4096/256 512 1024 2048/128 64 32 16/{last}");
    let rows: Vec<String> = [". . . .", "2 . . .", ". . 4 8", "8 4 2 ."].map(row).into();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    [score, tiny(&endgame(walls, 16, Place::Beside), &rows)]
}

/// Whether the damage was noticed, when the file was opened, when it was verified, or when a value
/// was looked up. Other values are never given.
fn is_noticed(bytes: Vec<u8>, tiny: &Tiny, what: &str) -> bool {
    let Ok(table) = Table::from_bytes(bytes) else { return true };
    let mut is_noticed = false;
    for (after, value) in tiny.afterstates.iter().zip(&tiny.values) {
        match table.value_of(after) {
            Ok(found) => assert_eq!(found, Some(*value), "{what}"),
            Err(error) => {
                assert!(matches!(error, TableError::Damaged(_)), "{what}: {error}");
                is_noticed = true;
            }
        }
    }
    assert!(!is_noticed || table.verify().is_err(), "{what}: what a lookup notices, a check notices");
    is_noticed || table.verify().is_err()
}

#[test]
fn every_changed_byte_is_noticed() {
    for tiny in both() {
        for place in 0..tiny.bytes.len() {
            for change in [0x01, 0x10, 0x80, 0xff] {
                let mut bytes = tiny.bytes.clone();
                bytes[place] ^= change;
                let what = format!("byte {place} of {}, {change:#x}", bytes.len());
                assert!(is_noticed(bytes, &tiny, &what), "{what}");
            }
        }
    }
}

#[test]
fn every_cut_and_every_addition_is_noticed() {
    for tiny in both() {
        for len in 0..tiny.bytes.len() {
            let what = format!("the first {len} of {} bytes", tiny.bytes.len());
            assert!(Table::from_bytes(tiny.bytes[..len].to_vec()).is_err(), "{what}");
        }
        for more in [&[0][..], &[0; 30], b"L2048TAB"] {
            assert!(Table::from_bytes([&tiny.bytes, more].concat()).is_err(), "{more:?}");
        }
        // A part is missing in the middle.
        let bytes = [&tiny.bytes[..40], &tiny.bytes[52..]].concat();
        assert!(is_noticed(bytes, &tiny, "12 bytes are missing"));
    }
}

/// The message for bytes that are not a table.
fn message(bytes: &[u8]) -> String {
    Table::from_bytes(bytes.to_vec()).unwrap_err().to_string()
}

#[test]
fn messages_say_what_is_wrong() {
    let [tiny, _] = both();
    let changed = |place: usize, byte: u8| {
        let mut bytes = tiny.bytes.clone();
        bytes[place] = byte;
        message(&bytes)
    };
    let foreign = "it is not a table of lab2048";
    for bytes in [&b""[..], b"L2048TAB", b"L2048NET\x02\0\0\0\0\0\0\0 and more", &[0; 100]] {
        assert_eq!(message(bytes), foreign);
    }
    assert_eq!(changed(8, 2), "it has the table format 2; this program reads format 1");
    assert_eq!(changed(11, 1), "it has the table format 16777217; this program reads format 1");
    let len = tiny.bytes.len();
    let damaged = |what: &str| format!("it is damaged: {what}");
    assert_eq!(message(&tiny.bytes[..len - 1]), damaged("its end is missing"));
    assert_eq!(message(&tiny.bytes[..16]), damaged("its end is missing"));
    assert_eq!(changed(len - 10, 0x55), damaged("the header has the wrong checksum"));
    assert_eq!(changed(len - 40, 0x55), damaged("the header has the wrong checksum"));
    assert_eq!(changed(len - 13, 0x55), damaged("its end is missing"));
    // The first layer of the file is verified when it is used.
    let mut bytes = tiny.bytes.clone();
    bytes[16] ^= 1;
    let table = Table::from_bytes(bytes).unwrap();
    assert_eq!(table.verify().unwrap_err().to_string(), damaged("a layer has the wrong checksum"));
}

#[test]
fn what_is_not_a_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    assert!(Table::open(folder.path()).is_err());
    assert!(matches!(Table::open(&folder.path().join("none")), Err(TableError::Io(_))));
    let empty = folder.path().join("empty.table");
    fs::write(&empty, "").unwrap();
    assert!(matches!(Table::open(&empty), Err(TableError::Foreign)));
    assert!(matches!(Table::open(Path::new("/dev/null")), Err(TableError::Foreign)));
}

/// The bytes of a table with another header, whose checksum is right.
fn with_header(bytes: &[u8], change: impl Fn(&str) -> String) -> Vec<u8> {
    let (rest, tail) = bytes.split_at(bytes.len() - 20);
    let len = u64::from_le_bytes(tail[..8].try_into().unwrap()) as usize;
    let (layers, header) = rest.split_at(rest.len() - len);
    let header = change(std::str::from_utf8(header).unwrap());
    let (len, crc) = ((header.len() as u64).to_le_bytes(), crc32fast::hash(header.as_bytes()).to_le_bytes());
    [layers, header.as_bytes(), &len, &crc, &tail[12..]].concat()
}

#[test]
fn a_header_that_contradicts_itself_is_refused() {
    let [tiny, _] = both();
    assert!(Table::from_bytes(with_header(&tiny.bytes, str::to_owned)).is_ok(), "the same header");
    let refused = |from: &str, to: &str| {
        let changed = with_header(&tiny.bytes, |header| {
            assert!(header.contains(from), "{from}: {header}");
            header.replacen(from, to, 1)
        });
        let message = message(&changed);
        assert!(message.contains("the header is not valid"), "{from} -> {to}: {message}");
    };
    // A layer that begins elsewhere, is longer, comes twice, or holds more than it can.
    refused("\"offset\":16", "\"offset\":17");
    refused("\"offset\":16", "\"offset\":18446744073709551615");
    refused("\"bytes\":", "\"bytes\":1");
    refused("\"stored\":", "\"stored\":9");
    refused("\"layers\":[{", "\"layers\":[{\"sum\":1,\"offset\":16,\"bytes\":12,\"stored\":0,\"crc\":0},{");
    refused("\"layers\":[{\"sum\":", "\"layers\":[{\"sum\":9");
    refused("\"score32\"", "\"chance8\"");
    refused("\"score32\"", "\"chance16\"");
    refused("\"2x2\"", "\"5x5\"");
    refused("{\"info\"", "{\"extra\":0,\"info\"");
}

/// A header may name a sub-game that no machine can solve. Its numbering would fill the memory.
#[test]
fn a_sub_game_that_cannot_be_solved_is_refused() {
    let [tiny, _] = both();
    for game in [
        endgame("0,1", 8192, Place::Beside),
        endgame("0,1", 8192, Place::Anywhere),
        on_board("4x4", tile(8192)),
        on_board("4x3", tile(4096)),
    ] {
        let game = serde_json::to_string(&game).unwrap();
        let changed = with_header(&tiny.bytes, |header| {
            let at = header.find("{\"size\"").unwrap();
            let end = header.find(",\"values\"").unwrap();
            format!("{}{game}{}", &header[..at], &header[end..])
        });
        let message = message(&changed);
        assert!(message.contains("it is damaged: no table can hold its sub-game"), "{message}");
    }
}

/// The first lookup verifies a layer. Others find what it found.
#[test]
fn a_damaged_layer_stays_damaged() {
    let [tiny, _] = both();
    let mut bytes = tiny.bytes.clone();
    let header = bytes.windows(7).position(|window| window == b"{\"info\"").unwrap();
    bytes[16..header].iter_mut().for_each(|byte| *byte ^= 1);
    let table = Table::from_bytes(bytes).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for after in tiny.afterstates.iter().chain(&tiny.afterstates) {
                    assert!(matches!(table.value_of(after), Err(TableError::Damaged(_))));
                }
            });
        }
    });
    assert!(table.judge(&board("2 2/. ."), TENTH).is_err());
    assert!(draw_position(&table, 1, 0.0..=100.0).is_err());
}
