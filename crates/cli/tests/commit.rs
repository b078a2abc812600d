//! The commit that a release build finds (`build/commit.rs`), in projects of every kind.

#[path = "../build/commit.rs"]
mod commit;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// A small project with a package in `crates/cli`.
struct Project(tempfile::TempDir);

impl Project {
    fn new() -> Project {
        let project = Project(tempfile::tempdir().expect("a temporary folder"));
        project.write("crates/cli/src/main.rs", "fn main() {}\n");
        project.write("docs/guide.md", "A guide.\n");
        project
    }

    fn with_git() -> Project {
        let project = Project::new();
        project.git("init --quiet --initial-branch=main");
        project.commit();
        project
    }

    fn root(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a writable folder");
        fs::write(path, text).expect("a writable folder");
    }

    fn git(&self, line: &str) -> String {
        let who = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.org"];
        let output = Command::new("git").args(who).args(line.split(' ')).current_dir(self.root()).output();
        let output = output.expect("git runs");
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text").trim_end().to_owned()
    }

    /// Two commits within a second would be the same one if they had the same message and parent.
    fn commit(&self) {
        static COMMITS: AtomicU32 = AtomicU32::new(0);
        self.git("add --all");
        let number = COMMITS.fetch_add(1, Relaxed);
        self.git(&format!("commit --quiet --allow-empty --message=Change-{number}"));
    }

    fn found(&self) -> Option<commit::Commit> {
        commit::of(&self.root().join("crates/cli"))
    }

    /// The text, which begins with the hash of `HEAD`. Returns what follows the date.
    fn rest(&self) -> String {
        let text = self.found().expect("a commit").text;
        let start = self.git("log -1 --abbrev=12 --format=%h");
        let rest = text.strip_prefix(&format!("{start} of 20")).unwrap_or_else(|| panic!("{text}"));
        rest["26-01-01".len()..].to_owned()
    }
}

/// The contents of the files on which a commit depends, folders left out.
fn state(paths: &[PathBuf]) -> Vec<Vec<u8>> {
    let files = paths.iter().filter(|path| path.is_file());
    files.map(|path| fs::read(path).expect("it can be read")).collect()
}

#[test]
fn changes_of_the_sources_are_told_and_others_are_not() {
    let project = Project::with_git();
    assert_eq!(project.rest(), "");
    project.write("docs/guide.md", "A better guide.\n");
    assert_eq!(project.rest(), "");
    project.write("crates/cli/src/main.rs", "fn main() { todo!() }\n");
    assert_eq!(project.rest(), ", with changes");
    project.commit();
    assert_eq!(project.rest(), "");
    project.write("crates/cli/src/new.rs", "");
    assert_eq!(project.rest(), ", with changes");
}

/// Otherwise cargo would build with the commit of an earlier build, or each time again.
#[test]
fn what_it_depends_on_exists_and_changes_with_every_commit() {
    let project = Project::with_git();
    let changes = |step: &dyn Fn()| {
        let before = project.found().expect("a commit");
        assert!(before.depends_on.iter().all(|path| path.exists()));
        let was = state(&before.depends_on);
        step();
        assert_ne!(project.found().expect("a commit").text, before.text);
        assert_ne!(state(&before.depends_on), was, "the build script would not run again");
    };
    changes(&|| project.commit());
    project.git("pack-refs --all");
    changes(&|| project.commit());
    changes(&|| drop(project.git("checkout --quiet --detach HEAD~1")));
    changes(&|| project.commit());
    changes(&|| drop(project.git("checkout --quiet main")));
    changes(&|| drop(project.git("reset --quiet --hard HEAD~1")));
}

#[test]
fn a_worktree_has_a_commit_of_its_own() {
    let project = Project::with_git();
    project.git("worktree add --quiet other -b other");
    let package = project.root().join("other/crates/cli");
    let before = commit::of(&package).expect("a commit");
    let was = state(&before.depends_on);
    project.commit();
    assert_eq!(commit::of(&package).expect("a commit").text, before.text);
    project.git("-C other commit --quiet --allow-empty --message=Other");
    assert_ne!(commit::of(&package).expect("a commit").text, before.text);
    assert_ne!(state(&before.depends_on), was);
}

#[test]
fn without_git_it_is_unknown() {
    assert!(Project::new().found().is_none());
    // A copy inside a foreign repository.
    let foreign = Project::with_git();
    foreign.write("copy/crates/cli/src/main.rs", "fn main() {}\n");
    assert!(commit::of(&foreign.root().join("copy/crates/cli")).is_none());
    // A repository without commits.
    let empty = Project::new();
    empty.git("init --quiet");
    assert!(empty.found().is_none());
}

#[test]
fn a_published_package_names_its_commit() {
    let project = Project::new();
    let info = |sha1: &str, more: &str| {
        let text = format!(
            "{{\n  \"git\": {{\n    \"sha1\": \"{sha1}\"{more}\n  }},\n  \"path_in_vcs\": \"crates/cli\"\n}}"
        );
        project.write("crates/cli/.cargo_vcs_info.json", &text);
        project.found().map(|found| found.text)
    };
    let hash = "0123456789abcdef0123456789abcdef01234567";
    assert_eq!(info(hash, ""), Some("0123456789ab".to_owned()));
    assert_eq!(info(hash, ",\n    \"dirty\": true"), Some("0123456789ab, with changes".to_owned()));
    assert_eq!(info("not a hash", ""), None);
}
