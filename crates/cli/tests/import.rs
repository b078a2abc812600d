//! `lab2048 import`: weights of TDL2048+ become a network. The files are made here in its format.

mod support;

use serde_json::Value;
use support::Place;

/// A file with one table: the name, the number of its digits, the weights.
fn weights(name: u32, digits: u16, weights: &[f32]) -> Vec<u8> {
    let mut bytes = vec![0, 1, 0, 0, 0, 4];
    bytes.extend(name.to_le_bytes());
    bytes.extend(digits.to_le_bytes());
    bytes.extend([0, 0, 4, 0]);
    bytes.extend((weights.len() as u64).to_le_bytes());
    bytes.extend(weights.iter().flat_map(|weight| weight.to_le_bytes()));
    bytes.extend([0, 0]);
    bytes
}

/// Two cells: 2.5 points if both are empty, otherwise 1.5.
fn two_cells() -> Vec<f32> {
    (0..256).map(|index| if index == 0 { 2.5 } else { 1.5 }).collect()
}

#[test]
fn an_imported_network_plays_with_the_values_of_its_weights() {
    let place = Place::new();
    place.write_bytes("two.w", &weights(0x01, 2, &two_cells()));
    let said = place.ok("import two.w -o two.net", "");
    assert!(said.starts_with("two.net: patterns 01, weights rounded to 0.000061035156 points, "), "{said}");
    // The eight images of the pattern are the ends of the four sides. Of a single tile in a corner
    // they see two, of two tiles in the corner and beside it too. Six are empty: 6 * 2.5 + 2 * 1.5.
    let told =
        place.ok("best 2 2 0 0 0 0 0 0 0 0 0 0 0 0 0 0 --player ntuple:net=two.net,depth=1 --json", "");
    let answer: Value = serde_json::from_str(&told).expect("JSON");
    assert_eq!(
        answer["values"],
        serde_json::json!({ "up": null, "right": 22.0, "down": 18.0, "left": 22.0 })
    );
    // It can be trained further like any other network.
    place.ok("train more --from two.net --games 20", "");
    assert!(place.path("more/network.net").exists());
}

#[test]
fn other_files_are_refused_and_nothing_is_overwritten() {
    let place = Place::new();
    let whole = weights(0x01, 2, &two_cells());
    place.write_bytes("two.w", &whole);
    place.write_bytes("torn.w", &whole[..500]);
    place.write_bytes("stage.w", &weights(0x1000_0001, 8, &two_cells()));
    place.write_bytes("other.w", &weights(0x012, 3, &[0.0; 16]));
    place.write("notes.txt", "Dear diary");
    place.write("game.txt", "4x4-1_00000g005¾ôj");
    for (file, says) in [
        ("torn.w", "torn.w: it ends too early, in table 1 of 1"),
        (
            "stage.w",
            "stage.w: it has several stages, but not their conditions; only networks with one stage can be read",
        ),
        ("other.w", "other.w: its table '012' has 16 weights, which does not fit its name"),
        ("notes.txt", "notes.txt: it is not a weight file of TDL2048+"),
        ("game.txt", "game.txt: it is not a weight file of TDL2048+"),
        ("missing.w", "cannot read missing.w: no such file or folder"),
    ] {
        assert_eq!(place.fails(&format!("import {file} -o new.net"), "", 2), says);
        assert!(!place.path("new.net").exists());
    }
    place.write("notes.net", "Dear diary");
    let said = place.fails("import two.w -o notes.net", "", 2);
    assert_eq!(
        (said.as_str(), place.read("notes.net").as_str()),
        ("notes.net already exists; choose another name", "Dear diary")
    );
    place.fails("import two.w -o no-folder/two.net", "", 2);
    let said = place.fails("best 2 2 0 0 --player ntuple:net=two.w", "", 2);
    assert!(
        said.ends_with("it has weights of TDL2048+; make a network of them with 'lab2048 import'"),
        "{said}"
    );
}
