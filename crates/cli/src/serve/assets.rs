//! The files of the page, which are part of the program.

use std::sync::LazyLock;

use include_dir::{Dir, include_dir};
use lab2048::hash::hex_of;

use super::networks::FOLDER;

/// The folder `web/` as it was when the program was built.
static WEB: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../web");

/// A file of the page.
#[derive(Debug)]
pub(super) struct Asset {
    /// Its path from the folder of the page, with `/`.
    pub(super) path: String,
    /// Its content.
    pub(super) bytes: &'static [u8],
    /// The SHA-256 of its content, in hexadecimal.
    pub(super) sha256: String,
}

/// All files of the page, sorted by path.
pub(super) static ASSETS: LazyLock<Vec<Asset>> = LazyLock::new(|| {
    let mut assets = Vec::new();
    collect(&WEB, &mut assets);
    assets.sort_unstable_by(|one: &Asset, other| one.path.cmp(&other.path));
    assets
});

/// The file with this path.
pub(super) fn asset(path: &str) -> Option<&'static Asset> {
    let place = ASSETS.binary_search_by(|asset| asset.path.as_str().cmp(path)).ok()?;
    Some(&ASSETS[place])
}

fn collect(folder: &Dir<'static>, assets: &mut Vec<Asset>) {
    for file in folder.files() {
        let path: Vec<_> = file.path().iter().map(|part| part.to_string_lossy()).collect();
        let path = path.join("/");
        if belongs_to_the_page(&path) {
            assets.push(Asset { path, bytes: file.contents(), sha256: hex_of(file.contents()) });
        }
    }
    folder.dirs().for_each(|folder| collect(folder, assets));
}

/// Whether a file in `web/` is for the browser: not a tool, a test or a text for the people who
/// build the page, and not a network that someone put there to try the page.
fn belongs_to_the_page(path: &str) -> bool {
    let hidden = path.split('/').any(|part| part.starts_with('.'));
    let apart =
        path == "build" || path == "package.json" || path.starts_with("build/") || path.starts_with(FOLDER);
    let endings = [".md", ".test.js", ".test.mjs"];
    !hidden && !apart && !endings.iter().any(|ending| path.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_no_files_of_its_workshop() {
        assert!(asset("index.html").is_some_and(|asset| asset.sha256 == hex_of(asset.bytes)));
        assert!(asset("index").is_none() && asset("").is_none());
        for path in [
            "build",
            "build/make",
            "package.json",
            "vendor/README.md",
            ".gitignore",
            "a/.b/x.js",
            "a.test.mjs",
            "networks/x.net",
        ] {
            assert!(!belongs_to_the_page(path), "{path}");
        }
        assert!(
            ["index.html", "views/build.js", "api/version", "LICENSE"].into_iter().all(belongs_to_the_page)
        );
    }
}
