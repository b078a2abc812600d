//! The driver program between us and a browser: chromedriver or geckodriver.

use std::env;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::ValueEnum;
use lab2048::text::in_words;
use lab2048_exec::BotProcess;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::Fault;
use crate::interrupt::{self, LastAct};

/// How long a driver may take until it listens.
const START_TIME: Duration = Duration::from_secs(20);

/// A kind of browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum BrowserKind {
    /// Chrome or Chromium, through chromedriver.
    Chrome,
    /// Firefox, through geckodriver.
    Firefox,
}

impl BrowserKind {
    /// The driver program.
    pub(crate) fn driver(self) -> &'static str {
        match self {
            BrowserKind::Chrome => "chromedriver",
            BrowserKind::Firefox => "geckodriver",
        }
    }

    fn how_to_install(self) -> &'static str {
        match self {
            BrowserKind::Chrome => {
                "install Chrome or Chromium with its driver (Debian: apt install chromium-driver), \
                 or give a running one with --driver URL"
            }
            BrowserKind::Firefox => {
                "install Firefox and its driver (cargo install geckodriver), \
                 or give a running one with --driver URL"
            }
        }
    }

    /// The line of the driver's output that says its port begins so.
    fn greeting(self) -> &'static str {
        match self {
            BrowserKind::Chrome => "ChromeDriver was started successfully on port ",
            BrowserKind::Firefox => "Listening on 127.0.0.1:",
        }
    }

    /// What a session should be like. `profile` is an empty folder for the browser's own files; a
    /// driver that runs already chooses one itself.
    pub(super) fn capabilities(self, headless: bool, profile: Option<&Path>) -> Value {
        let profile = profile.map(|profile| profile.to_string_lossy().into_owned());
        match self {
            BrowserKind::Chrome => {
                let mut arguments = vec![
                    // Networks and containers without a display, a sandbox or shared memory.
                    "--disable-gpu".to_owned(),
                    "--disable-dev-shm-usage".to_owned(),
                    "--no-first-run".to_owned(),
                    "--no-default-browser-check".to_owned(),
                    "--disable-background-networking".to_owned(),
                    "--disable-component-update".to_owned(),
                    "--disable-sync".to_owned(),
                    // A window that is covered or in the background runs at full speed.
                    "--disable-background-timer-throttling".to_owned(),
                    "--disable-backgrounding-occluded-windows".to_owned(),
                    "--disable-renderer-backgrounding".to_owned(),
                    "--window-size=900,1000".to_owned(),
                ];
                arguments.extend(profile.map(|profile| format!("--user-data-dir={profile}")));
                // The sandbox of Chrome refuses to run under root.
                if is_root() {
                    arguments.push("--no-sandbox".to_owned());
                }
                if headless {
                    arguments.push("--headless=new".to_owned());
                }
                json!({ "browserName": "chrome", "goog:chromeOptions": { "args": arguments } })
            }
            BrowserKind::Firefox => {
                let mut arguments: Vec<String> = Vec::new();
                arguments.extend(profile.into_iter().flat_map(|profile| ["-profile".to_owned(), profile]));
                if headless {
                    arguments.push("-headless".to_owned());
                }
                json!({ "browserName": "firefox", "moz:firefoxOptions": { "args": arguments } })
            }
        }
    }
}

fn is_root() -> bool {
    #[cfg(unix)]
    return nix::unistd::geteuid().is_root();
    #[cfg(not(unix))]
    return false;
}

/// How to get a browser.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    /// Its kind.
    pub(crate) browser: BrowserKind,
    /// Without a window.
    pub(crate) headless: bool,
    /// A driver that runs already; we never end it.
    pub(crate) driver: Option<String>,
}

/// A driver that we started. It ends with this value, and its browser with it.
pub(super) struct DriverProcess {
    /// Missing only while it is ended.
    process: Option<BotProcess>,
    /// The browser's own files. Our browser is the one that has this folder on its command line.
    profile: TempDir,
    /// Ends the browser if this value is abandoned in another thread.
    _last_act: LastAct,
}

impl DriverProcess {
    /// Starts the driver of a browser; returns it with its address.
    pub(super) fn start(browser: BrowserKind) -> Result<(DriverProcess, String), Fault> {
        let name = browser.driver();
        let missing = Fault::NoDriver { driver: name, how: browser.how_to_install() };
        let program = find(name).ok_or(missing)?;
        let failed = |why: String| Fault::NotStarted { driver: program.display().to_string(), why };
        let profile = TempDir::with_prefix("lab2048-browser-").map_err(|error| failed(in_words(&error)))?;
        let last_act = interrupt::before_leaving(last_act(profile.path().to_owned()));
        let mut words = vec![program.display().to_string()];
        words.extend(match browser {
            BrowserKind::Chrome => vec!["--port=0".to_owned()],
            BrowserKind::Firefox => ["--port", "0", "--log", "info"].map(str::to_owned).to_vec(),
        });
        let process = BotProcess::start(&words, false).map_err(|error| failed(in_words(&error)))?;
        let mut driver = DriverProcess { process: Some(process), profile, _last_act: last_act };
        let port = driver.port(browser.greeting()).map_err(|why| why.map_or(Fault::Interrupted, failed))?;
        Ok((driver, format!("http://127.0.0.1:{port}")))
    }

    /// Reads the driver's output up to the line that names its port. There is no reason if the user
    /// stopped it.
    fn port(&mut self, greeting: &str) -> Result<u16, Option<String>> {
        let started = Instant::now();
        let process = self.process.as_mut().expect("the driver was just started");
        loop {
            let left = START_TIME.saturating_sub(started.elapsed());
            match process.answer(Some(left)) {
                Ok(line) => {
                    let port = line.split_once(greeting).map(|(_, rest)| rest);
                    let digits =
                        |rest: &str| rest.chars().take_while(char::is_ascii_digit).collect::<String>();
                    if let Some(port) = port.and_then(|rest| digits(rest).parse().ok()) {
                        return Ok(port);
                    }
                }
                Err(lab2048_exec::Trouble::TooLong) => {}
                Err(lab2048_exec::Trouble::Interrupted) => return Err(None),
                Err(lab2048_exec::Trouble::Late(_)) => {
                    return Err(Some("it did not say its port".to_owned()));
                }
                Err(_) => {
                    let words = process.how_it_ended().1;
                    return Err(Some(words.unwrap_or_else(|| "it ended at once".to_owned())));
                }
            }
        }
    }

    /// The folder of the browser's own files.
    pub(super) fn profile(&self) -> &Path {
        self.profile.path()
    }

    /// Throws away what driver and browser have written, so that they never wait for a reader.
    pub(super) fn drain(&self) {
        while let Some(Ok(Some(_))) = self.process.as_ref().map(BotProcess::unasked) {}
    }
}

/// What ends the browser if nothing else did.
fn last_act(profile: PathBuf) -> impl FnOnce() + Send + 'static {
    move || {
        end_browser(&profile);
        let _ = std::fs::remove_dir_all(&profile);
    }
}

impl Drop for DriverProcess {
    fn drop(&mut self) {
        // The driver first: it might start another browser.
        if let Some(process) = self.process.take() {
            process.kill();
        }
        end_browser(self.profile.path());
    }
}

/// Ends all processes that have this folder as their profile: a browser does not end with a driver
/// that was killed. Only on Linux; elsewhere the driver must end it.
fn end_browser(profile: &Path) {
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::ffi::OsStrExt as _;
        let needle = profile.as_os_str().as_bytes();
        // A process may start another one while we look.
        for _ in 0..20 {
            let ours: Vec<i32> = processes().filter(|pid| has_profile(*pid, needle)).collect();
            if ours.is_empty() {
                return;
            }
            for pid in ours {
                let pid = nix::unistd::Pid::from_raw(pid);
                let _ = nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGKILL);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = profile;
}

#[cfg(target_os = "linux")]
fn processes() -> impl Iterator<Item = i32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Whether a process has this folder as the profile of its browser: as an argument of its own, as
/// in Firefox, or as a part of one, as in Chrome and its helpers.
#[cfg(target_os = "linux")]
fn has_profile(pid: i32, profile: &[u8]) -> bool {
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    // Helpers of Chrome write all their arguments into one.
    line.split(|&byte| byte == 0 || byte == b' ').any(|argument| {
        argument == profile || argument.strip_prefix(b"--user-data-dir=".as_slice()) == Some(profile)
    })
}

/// A program in the search path, or where its packages put it.
fn find(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let home = env::home_dir().map(|home| home.join(".cargo/bin"));
    let folders = env::split_paths(&path).chain(home).chain(
        [
            "/usr/bin",
            "/usr/local/bin",
            "/usr/lib/chromium",
            "/usr/lib/chromium-browser",
            "/snap/bin",
            "/opt/homebrew/bin",
        ]
        .map(PathBuf::from),
    );
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    folders.map(|folder| folder.join(&file)).find(|program| program.is_file())
}

/// Whether a window could be shown.
pub(crate) fn has_display() -> bool {
    if cfg!(any(target_os = "macos", windows)) {
        return true;
    }
    ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| env::var_os(name).is_some_and(|value| !value.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_has_a_profile_and_the_flags_of_its_browser() {
        let chrome = BrowserKind::Chrome.capabilities(true, Some(Path::new("/tmp/p"))).to_string();
        assert!(chrome.contains("--user-data-dir=/tmp/p") && chrome.contains("--headless=new"), "{chrome}");
        let firefox = BrowserKind::Firefox.capabilities(false, Some(Path::new("/tmp/p"))).to_string();
        assert!(firefox.contains("/tmp/p") && !firefox.contains("-headless"), "{firefox}");
    }
}
