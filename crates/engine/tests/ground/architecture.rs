//! Checks that module dependencies point in one direction. It reads every `crate::<module>` in the
//! sources, including tests. A new module or a new dependency must be added here on purpose.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Helpers that every module may use.
const HELPERS: &[&str] = &["clock", "files", "hash", "parallel", "text"];

/// Each module and the modules that it may use, besides itself and the helpers.
const ALLOWED: &[(&str, &[&str])] = &[
    ("files", &[]),
    ("parallel", &[]),
    ("clock", &[]),
    ("hash", &[]),
    ("text", &[]),
    ("board", &[]),
    ("game", &["board"]),
    ("course", &["board", "game"]),
    ("arena", &["board", "game"]),
    ("eval", &["board", "game"]),
    ("ntuple", &["board", "game", "eval"]),
    ("search", &["board", "game", "arena", "eval", "ntuple"]),
    ("solve", &["board", "game", "arena"]),
    ("learn", &["board", "game", "arena", "eval", "ntuple", "search"]),
    ("evolve", &["board", "game", "arena", "eval", "ntuple", "search"]),
    ("review", &["board", "game", "arena", "eval", "ntuple", "search"]),
    (
        "players",
        &["board", "game", "arena", "eval", "ntuple", "search", "solve", "learn", "evolve", "review"],
    ),
];

fn source_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The module of a source file; `None` for the root, which only lists the modules.
fn module_of(file: &Path) -> Option<String> {
    let inside = file.strip_prefix(source_folder()).unwrap();
    let first = inside.components().next().unwrap().as_os_str().to_str().unwrap();
    let module = first.trim_end_matches(".rs");
    (module != "lib").then(|| module.to_owned())
}

/// The first names after every `crate::` in a text, including `crate::{a::x, b::y}`. Comments are
/// ignored.
fn mentioned(text: &str) -> BTreeSet<String> {
    let code: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap_or("")).collect();
    let code = code.join("\n");
    let name = |text: &str| -> String {
        text.trim_start().chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
    };
    let mut names = BTreeSet::new();
    for (index, _) in code.match_indices("crate::") {
        let rest = &code[index + "crate::".len()..];
        match rest.strip_prefix('{') {
            None => drop(names.insert(name(rest))),
            Some(list) => names.extend(outer_items(list).iter().map(|item| name(item))),
        }
    }
    names
}

/// The items of a list up to its closing brace. Inner lists are not split.
fn outer_items(list: &str) -> Vec<String> {
    let (mut items, mut depth) = (vec![String::new()], 0);
    for letter in list.chars() {
        match letter {
            '}' if depth == 0 => break,
            ',' if depth == 0 => items.push(String::new()),
            _ => {
                depth += i32::from(letter == '{') - i32::from(letter == '}');
                items.last_mut().unwrap().push(letter);
            }
        }
    }
    items.retain(|item| !item.trim().is_empty());
    items
}

#[test]
fn modules_use_only_what_stands_before_them() {
    let allowed: BTreeMap<&str, &[&str]> = ALLOWED.iter().copied().collect();
    let mut files = Vec::new();
    rust_files(&source_folder(), &mut files);
    let mut wrong = Vec::new();
    let mut edges = 0;
    for file in &files {
        let Some(module) = module_of(file) else { continue };
        let may_use = allowed.get(module.as_str()).unwrap_or_else(|| {
            panic!("the module {module} is new: add it to ALLOWED in this test and describe it in ARCHITECTURE.md")
        });
        for used in mentioned(&fs::read_to_string(file).unwrap()) {
            edges += 1;
            if used != module && !HELPERS.contains(&used.as_str()) && !may_use.contains(&used.as_str()) {
                wrong.push(format!("{} uses crate::{used}", file.display()));
            }
        }
    }
    assert!(edges > 20, "the sources were not found");
    assert!(wrong.is_empty(), "not allowed by the order of the modules:\n{}", wrong.join("\n"));
}

#[test]
fn the_allowed_edges_have_no_circle() {
    for (index, (module, uses)) in ALLOWED.iter().enumerate() {
        let before: Vec<&str> = ALLOWED[..index].iter().map(|(name, _)| *name).collect();
        for used in *uses {
            assert!(before.contains(used), "{module} uses {used}, which is not listed before it");
        }
    }
}

/// The public types that a source file declares.
fn public_types(text: &str) -> impl Iterator<Item = &str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.lines().filter_map(move |line| {
        let (kind, rest) = line.trim_start().strip_prefix("pub ")?.split_once(' ')?;
        let name = rest.split(|c| !is_name(c)).next()?;
        ["struct", "enum", "trait", "type"].contains(&kind).then_some(name)
    })
}

#[test]
fn no_two_public_types_have_the_same_name() {
    let mut files = Vec::new();
    rust_files(&source_folder(), &mut files);
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in &files {
        for name in public_types(&fs::read_to_string(file).unwrap()) {
            places.entry(name.to_owned()).or_default().push(file.display().to_string());
        }
    }
    assert!(places.len() > 100, "the sources were not found");
    places.retain(|_, places| places.len() > 1);
    assert!(
        places.is_empty(),
        "no two public types of the engine may have the same name, even in different modules; \
         rename one of each: {places:#?}"
    );
}

#[test]
fn the_engine_never_prints_and_has_no_clock_driven_chance() {
    let mut files = Vec::new();
    rust_files(&source_folder(), &mut files);
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        for forbidden in
            ["println!(", "eprintln!(", "print!(", "std::process::exit", "thread_rng", "SystemTime::now"]
        {
            let found =
                text.lines().any(|line| !line.trim_start().starts_with("//") && line.contains(forbidden));
            assert!(!found, "{} has {forbidden}", file.display());
        }
    }
}

#[test]
fn mentions_are_found_in_every_form() {
    let text = "use crate::board::{Board, Size};\nuse crate::{eval::{A, B}, game as g};\nlet x = $crate::ntuple::f(); // crate::no";
    let found: Vec<String> = mentioned(text).into_iter().collect();
    assert_eq!(found, ["board", "eval", "game", "ntuple"]);
}
