//! What people see and hear: axe-core on every view, announcements, themes.

use super::*;

const VIEWS: [&str; 8] = ["play", "practice", "watch", "four", "edit", "review", "tree", "laboratory"];

/// axe-core, which `fetch` unpacks beside the original page.
fn axe() -> String {
    let pages = std::env::var_os("LAB2048_PAGES")
        .map_or_else(|| project().join("target/browser-pages"), PathBuf::from);
    std::fs::read_to_string(pages.join("axe/package/axe.min.js")).expect("fetch has unpacked axe-core")
}

#[test]
#[ignore = "needs a browser"]
fn axe_finds_nothing_serious() {
    let axe = axe();
    for (width, height) in [(1280, 900), (320, 640)] {
        let mut page = Page::open_with("play?seed=3", (width, height), None);
        for scheme in ["light", "dark"] {
            let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
            page.tools("Emulation.setEmulatedMedia", json!({ "features": features }));
            for view in VIEWS {
                page.go(view);
                page.script(&axe);
                // The colours of the tiles are those of the original game.
                let found = page.script(
                    "return axe.run({ exclude: [['.tile'], ['.edit-swatch'], ['.lab-tile']] }, { resultTypes: ['violations'] }).then(({ violations }) =>
                       violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
                         .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`))",
                );
                assert_eq!(found, json!([]), "{view}, {width} pixels, {scheme}");
                let wider =
                    "return document.documentElement.scrollWidth - document.documentElement.clientWidth";
                assert_eq!(page.script(wider), json!(0), "{view} fits into {width} pixels");
            }
        }
    }
}

#[test]
#[ignore = "needs a browser"]
fn moves_are_announced() {
    let mut page = Page::open("play?board=2 2 0 0/0 0 0 0/0 0 0 0/0 0 0 0&seed=1");
    page.keys(&[LEFT]);
    page.wait("return /left.*4/i.test(document.getElementById('live').textContent)");
}

#[test]
#[ignore = "needs a browser"]
fn reduced_motion_moves_nothing() {
    let mut page = Page::open("play?seed=1");
    // How long a tile takes to slide.
    let slide = "const tile = document.querySelector('.container .tile');
                 return Math.max(...getComputedStyle(tile).transitionDuration.split(',').map(parseFloat));";
    assert_eq!(page.script(slide), json!(0.1));
    let features = json!([{ "name": "prefers-reduced-motion", "value": "reduce" }]);
    page.tools("Emulation.setEmulatedMedia", json!({ "features": features }));
    assert_eq!(page.script(slide), json!(0));
    page.keys(&[UP]);
    let moving = "return document.getAnimations()
                    .filter((animation) => animation.effect.getComputedTiming().duration > 10)
                    .map((animation) => animation.animationName ?? animation.transitionProperty)";
    assert_eq!(page.script(moving), json!([]));
}

#[test]
#[ignore = "needs a browser"]
fn dialogs_open_and_close_by_keys() {
    let mut page = Page::open("play?seed=1");
    let before = page.stored();
    page.keys(&['?']);
    page.wait("return document.querySelector('dialog[open]') !== null");
    page.keys(&[UP]);
    assert_eq!(page.stored(), before, "keys belong to the dialog");
    page.keys(&['\u{E00C}']);
    page.wait("return document.querySelector('dialog[open]') === null");
    page.keys(&['n']);
    page.wait("return document.querySelector('dialog[open]') !== null");
    page.script("document.querySelector('dialog[open] input[type=text]').focus()");
    page.write("77");
    page.keys(&[ENTER]);
    page.wait("return document.querySelector('dialog[open]') === null");
    let facts = page.text("#view-play .play-facts");
    assert!(facts.contains("Seed77"), "{facts}");
    page.assert_no_errors();
}
