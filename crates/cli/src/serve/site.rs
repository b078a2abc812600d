//! The page as a static site: the files of the page and the networks in a folder.
//!
//! A list of the written files, [`MARK`], says that a folder holds the page. Only files that are in
//! this list, and have not changed since, are ever removed.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use lab2048::files::{hash_of, read_limited, write_whole};
use lab2048::hash::hex_of;
use lab2048::players::ShippedFile;
use lab2048::text::in_words;
use serde::{Deserialize, Serialize};

use super::assets::ASSETS;
use super::networks::{FOLDER, LIST, NetworkFiles, list_json};
use crate::failure::{Failure, Outcome};

/// The file that lists the files of the page.
const MARK: &str = "lab2048-page.json";

/// The version of the list's format.
const FORMAT: u32 = 1;

/// The largest list that is read.
const MOST_LIST: u64 = 1 << 20;

/// The content of [`MARK`].
#[derive(Serialize, Deserialize)]
struct Mark {
    format: u32,
    version: String,
    /// The SHA-256 of each file by its path.
    files: BTreeMap<String, String>,
}

impl Mark {
    fn of(files: BTreeMap<String, String>) -> Mark {
        Mark { format: FORMAT, version: env!("CARGO_PKG_VERSION").to_owned(), files }
    }
}

/// A file of the site.
struct SiteFile {
    bytes: std::borrow::Cow<'static, [u8]>,
    sha256: String,
}

/// What was written.
pub(crate) struct Written {
    /// The number of files.
    pub(crate) files: usize,
    /// Their bytes.
    pub(crate) bytes: u64,
}

/// Writes the site into a folder. `full` adds the networks that are separate files.
pub(crate) fn write(folder: &Path, full: bool) -> Outcome<Written> {
    let site = site(full)?;
    let mut before = check(folder, &site)?;
    fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    // Until all is done, the list has the old files and the new ones. An interrupted run can then
    // be repeated.
    let hashes = |site: &BTreeMap<String, SiteFile>| {
        site.iter().map(|(path, file)| (path.clone(), file.sha256.clone())).collect::<BTreeMap<_, _>>()
    };
    let mut both = before.clone();
    both.extend(hashes(&site));
    write_mark(folder, both)?;
    for (path, file) in &site {
        before.remove(path);
        let place = folder.join(path);
        if let Some(parent) = place.parent() {
            fs::create_dir_all(parent).map_err(|error| failed(parent, &error))?;
        }
        write_whole(&place, |out| out.write_all(&file.bytes)).map_err(Failure::failed)?;
    }
    for (path, hash) in before {
        let place = folder.join(&path);
        if is_plain(&path) && hash_of(&place).is_ok_and(|found| found == hash) {
            fs::remove_file(&place).map_err(|error| failed(&place, &error))?;
        }
    }
    write_mark(folder, hashes(&site))?;
    Ok(Written { files: site.len(), bytes: site.values().map(|file| file.bytes.len() as u64).sum() })
}

/// All files of the site by path.
fn site(full: bool) -> Outcome<BTreeMap<String, SiteFile>> {
    let mut site = BTreeMap::new();
    for asset in ASSETS.iter() {
        let file = SiteFile { bytes: asset.bytes.into(), sha256: asset.sha256.clone() };
        site.insert(asset.path.clone(), file);
    }
    let is_wanted = |file: ShippedFile| full || matches!(file, ShippedFile::Inside(_));
    let networks = NetworkFiles::default().list();
    let networks: Vec<_> = networks.into_iter().filter(|network| is_wanted(network.network.file)).collect();
    if full && networks.len() < lab2048_nets::NETWORKS.len() {
        // Reading a missing one says where it should be.
        for network in lab2048_nets::NETWORKS {
            network.bytes().map_err(Failure::bad_input)?;
        }
    }
    for network in &networks {
        let bytes = network.network.bytes().map_err(Failure::bad_input)?;
        site.insert(format!("{FOLDER}{}", network.file()), SiteFile { sha256: hex_of(&bytes), bytes });
    }
    let list = format!("{:#}\n", list_json(&networks)).into_bytes();
    site.insert(LIST.to_owned(), SiteFile { sha256: hex_of(&list), bytes: list.into() });
    Ok(site)
}

/// The files that an earlier run wrote. Refuses a folder with files that the page would replace or
/// mix with.
fn check(folder: &Path, site: &BTreeMap<String, SiteFile>) -> Outcome<BTreeMap<String, String>> {
    let mut names = match fs::read_dir(folder) {
        Ok(names) => names,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        Err(error) => return Err(failed(folder, &error)),
    };
    let mark = folder.join(MARK);
    if !mark.is_file() {
        return match names.next() {
            None => Ok(BTreeMap::new()),
            Some(_) => Err(Failure::BadInput(format!(
                "{} has other files in it; choose a new or empty folder",
                folder.display()
            ))),
        };
    }
    let text = read_limited(&mark, MOST_LIST).map_err(Failure::bad_input)?;
    let known: Option<Mark> = serde_json::from_slice(&text).ok();
    let known = known.filter(|mark| mark.format == FORMAT).ok_or_else(|| {
        Failure::BadInput(format!("{} is not a list of this version of the page", mark.display()))
    })?;
    let foreign = |path: &&String| !known.files.contains_key(*path) && folder.join(path).exists();
    match site.keys().find(foreign) {
        Some(path) => Err(Failure::BadInput(format!(
            "{} is not a file of the page but has its name; move it away",
            folder.join(path).display()
        ))),
        None => Ok(known.files),
    }
}

fn write_mark(folder: &Path, files: BTreeMap<String, String>) -> Outcome<()> {
    let text = serde_json::to_vec_pretty(&Mark::of(files)).map_err(Failure::failed)?;
    write_whole(&folder.join(MARK), |out| out.write_all(&text)).map_err(Failure::failed)
}

/// Whether a path of a list leads into the folder: it could have been changed by hand.
fn is_plain(path: &str) -> bool {
    path.split('/').all(|part| !part.is_empty() && !part.starts_with('.') && !part.contains(['\\', ':']))
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::Failed(format!("cannot write {}: {}", path.display(), in_words(error)))
}
