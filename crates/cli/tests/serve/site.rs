//! `lab2048 page`: the page as files.

use std::fs;

use crate::page_files;
use crate::support::{Place, project};

#[test]
fn the_site_has_the_page_and_the_networks() {
    let place = Place::new();
    let said = place.ok("page -o site/2048", "");
    for (name, bytes) in page_files() {
        assert!(fs::read(place.path(&format!("site/2048/{name}"))).expect("the file") == bytes, "{name}");
    }
    let list = place.read("site/2048/networks/list.json");
    let list: serde_json::Value = serde_json::from_str(&list).expect("JSON");
    for network in list.as_array().expect("a list") {
        let file = network["file"].as_str().expect("a file");
        let written = place.path(&format!("site/2048/networks/{file}"));
        let bytes = fs::read(&written).expect("the network");
        assert_eq!(network["bytes"], bytes.len());
        assert_eq!(network["sha256"], lab2048::files::hash_of(&written).expect("a readable file").as_str());
        assert!(bytes == fs::read(project().join("nets").join(file)).expect("the network"), "{file}");
        assert_ne!(file, "full.net", "it is only written when asked for");
    }
    // Written again, it is the same. With --full the large network is added, and without it
    // removed.
    assert_eq!(place.ok("page -o site/2048", ""), said);
    place.ok("page -o site/2048 --full", "");
    assert!(place.path("site/2048/networks/full.net").is_file());
    assert!(place.read("site/2048/networks/list.json").contains("full.net"));
    place.write("site/2048/mine.html", "mine");
    assert_eq!(place.ok("page -o site/2048", ""), said);
    assert!(!place.path("site/2048/networks/full.net").exists());
    assert_eq!(place.read("site/2048/mine.html"), "mine", "other files beside the page stay");
}

#[test]
fn files_of_others_are_never_replaced_or_removed() {
    let place = Place::new();
    fs::create_dir(place.path("site")).expect("a writable folder");
    place.write("site/index.html", "mine");
    let sentence = place.fails("page -o site", "", 2);
    assert_eq!(sentence, "site has other files in it; choose a new or empty folder");
    assert_eq!(place.read("site/index.html"), "mine");
    assert_eq!(fs::read_dir(place.path("site")).expect("the folder").count(), 1);
    // A list that was made up does not get files removed: not outside the folder, and not if they
    // are others than those that were written.
    place.write("victim", "text");
    fs::remove_file(place.path("site/index.html")).expect("it is there");
    place.write("site/old.js", "changed by hand");
    let hash = lab2048::files::hash_of(&place.path("victim")).expect("a readable file");
    let mark = format!(
        "{{\"format\": 1, \"version\": \"0\", \"files\": {{\"../victim\": \"{hash}\", \"old.js\": \"{hash}\"}}}}"
    );
    place.write("site/lab2048-page.json", &mark);
    place.ok("page -o site", "");
    assert_eq!(
        (place.read("victim").as_str(), place.read("site/old.js").as_str()),
        ("text", "changed by hand")
    );
    for (mark, words) in [("{}", "is not a list of this version of the page"), ("x", "is not a list")] {
        place.write("site/lab2048-page.json", mark);
        assert!(place.fails("page -o site", "", 2).contains(words));
    }
    // A file with the name of one of the page's that the page did not write.
    place.write("site/lab2048-page.json", "{\"format\": 1, \"version\": \"0\", \"files\": {}}");
    place.write("site/index.html", "mine");
    assert!(place.fails("page -o site", "", 2).contains("is not a file of the page but has its name"));
    assert_eq!(place.read("site/index.html"), "mine");
    assert!(place.fails("page -o victim", "", 1).starts_with("cannot write victim: "));
    assert!(place.fails("page", "", 2).contains("--output"));
}
