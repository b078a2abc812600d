//! Runs the real command in a temporary folder.
#![allow(dead_code, reason = "every test uses another part")]

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// A temporary folder for one test.
pub(crate) struct Place(tempfile::TempDir);

/// The result of a run.
pub(crate) struct Ran {
    /// The exit code; `None` if a signal ended the process.
    pub(crate) code: Option<i32>,
    /// The standard output.
    pub(crate) out: String,
    /// The standard error.
    pub(crate) err: String,
}

impl Place {
    pub(crate) fn new() -> Place {
        Place(tempfile::tempdir().expect("a temporary folder"))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        self.write_bytes(name, text.as_bytes());
    }

    pub(crate) fn write_bytes(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).expect("a writable folder");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Makes a named pipe that nobody writes to. Opening it for reading waits for ever.
    #[cfg(unix)]
    pub(crate) fn pipe_without_writer(&self, name: &str) {
        let made = Command::new("mkfifo").arg(self.path(name)).status();
        assert!(made.expect("mkfifo runs").success());
    }

    /// Starts the command with arguments split at blanks. `%20` stands for a blank inside an
    /// argument.
    pub(crate) fn start(&self, line: &str) -> Child {
        self.command(line).spawn().expect("the binary starts")
    }

    /// The command, ready to be started. It keeps no decoded networks.
    pub(crate) fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lab2048"));
        command
            .args(line.split(' ').map(|word| word.replace("%20", " ")))
            .current_dir(self.0.path())
            .env("LAB2048_HOME", self.0.path())
            .env("LAB2048_CACHE", "none")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs the command with a limit on file sizes, in blocks. This simulates a full disk.
    #[cfg(unix)]
    pub(crate) fn run_limited(&self, blocks: u32, line: &str) -> Ran {
        self.run_limited_with(blocks, "none", line)
    }

    /// The same with a folder for decoded networks.
    #[cfg(unix)]
    pub(crate) fn run_limited_with(&self, blocks: u32, cache: &str, line: &str) -> Ran {
        let child = Command::new("sh")
            .args(["-c", &format!("ulimit -f {blocks} && exec \"$0\" \"$@\"")])
            .arg(env!("CARGO_BIN_EXE_lab2048"))
            .args(line.split(' ').map(|word| word.replace("%20", " ")))
            .current_dir(self.0.path())
            .env("LAB2048_HOME", self.0.path())
            .env("LAB2048_CACHE", cache)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        ended(child.expect("a shell starts"))
    }

    /// Runs the command with this input until it ends.
    pub(crate) fn run(&self, line: &str, input: impl AsRef<[u8]>) -> Ran {
        let mut child = self.start(line);
        // The command may end before it has read its input.
        let _ = child.stdin.take().expect("stdin is piped").write_all(input.as_ref());
        ended(child)
    }

    /// Runs the command. It must succeed without messages. Returns its output.
    pub(crate) fn ok(&self, line: &str, input: &str) -> String {
        let ran = self.run(line, input);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{line}\n{}", ran.out);
        ran.out
    }

    /// Runs the command. It must fail with this code and one sentence, which is returned.
    pub(crate) fn fails(&self, line: &str, input: &str, code: i32) -> String {
        let ran = self.run(line, input);
        assert_eq!(ran.code, Some(code), "{line}\n{}\n{}", ran.out, ran.err);
        let sentence = ran.err.strip_prefix("lab2048: ").and_then(|text| text.strip_suffix('\n'));
        let sentence = sentence.unwrap_or_else(|| panic!("{line} said: {}", ran.err));
        assert!(!sentence.contains('\n'), "{line} said more than one sentence: {sentence}");
        sentence.to_owned()
    }
}

/// Waits until a command ends.
pub(crate) fn ended(child: Child) -> Ran {
    let Output { status, stdout, stderr } = child.wait_with_output().expect("the binary ends");
    let text = |bytes| String::from_utf8(bytes).expect("the output is text");
    Ran { code: status.code(), out: text(stdout), err: text(stderr) }
}

/// Reads a child's output until it contains a text.
pub(crate) fn wait_for(child: &mut Child, text: &str) {
    let out = child.stdout.as_mut().expect("stdout is piped");
    let mut seen = String::new();
    // Byte by byte, so that the rest stays for the test to read.
    let mut letter = [0];
    while !seen.contains(text) {
        assert_eq!(out.read(&mut letter).expect("readable output"), 1, "it ended after: {seen}");
        seen.push(char::from(letter[0]));
    }
}

/// Waits until a process handles Ctrl-C. Before that, the signal would only kill it.
#[cfg(target_os = "linux")]
pub(crate) fn wait_until_it_listens(child: &Child) {
    let listens = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).expect("it runs");
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).expect("a SigCgt line");
        u64::from_str_radix(caught.trim(), 16).expect("a mask") & 0b10 != 0
    };
    while !listens() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// Sends SIGINT, like Ctrl-C.
#[cfg(unix)]
pub(crate) fn interrupt(child: &Child) {
    signal(child, "INT");
}

/// Sends a signal by its name.
#[cfg(unix)]
pub(crate) fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), &child.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
}

/// A changed replay with a correct checksum, as a forger would make it.
pub(crate) fn forged(text: &str) -> String {
    let body = &text[..text.rfind("crc32").expect("there is a checksum")];
    format!("{body}crc32 {:08x}\n", crc32(body.as_bytes()))
}

/// CRC-32, computed bit by bit (polynomial 0xedb88320): an independent check of the checksum.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, &byte| {
        (0..8).fold(
            crc ^ u32::from(byte),
            |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 },
        )
    })
}

/// The root folder of the project.
pub(crate) fn project() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}
