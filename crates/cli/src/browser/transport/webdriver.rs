//! A client of the W3C WebDriver protocol (<https://www.w3.org/TR/webdriver2/>): the few commands
//! that we need.
//!
//! The game is one question and one answer at a time, so the client is synchronous.

use std::time::Duration;

use lab2048::text::one_line;
use serde_json::{Value, json};
use ureq::Agent;

use super::driver::DriverProcess;
use super::{Fault, Key, Start, Transport};
use crate::interrupt::{self, LastAct};

/// How long a script may run. The longest of ours waits two seconds for a move.
const SCRIPT_TIME: Duration = Duration::from_secs(10);
/// How long a page may take to load.
const LOAD_TIME: Duration = Duration::from_secs(30);
/// How long starting a browser may take.
const START_TIME: Duration = Duration::from_secs(60);
/// How long the driver may take to answer anything else, beyond what the command itself may take.
const ANSWER_TIME: Duration = Duration::from_secs(5);

/// The number of dialogs in a row after which a command is given up.
const MOST_DIALOGS: u32 = 20;

/// A browser window behind a driver. Dropping it closes the window, and ends the driver if we
/// started it.
pub(crate) struct WebDriver {
    agent: Agent,
    /// The driver's address.
    base: String,
    /// The address of the session.
    session: String,
    /// What the browser calls itself.
    browser: String,
    driver: Option<DriverProcess>,
    /// Closes the browser of a foreign driver if a second signal ends the process.
    last_act: Option<LastAct>,
}

impl WebDriver {
    /// Starts a driver if none is given, and a browser.
    pub(crate) fn start(start: &Start) -> Result<WebDriver, Fault> {
        let (driver, base) = match &start.driver {
            Some(url) => (None, url.trim_end_matches('/').to_owned()),
            None => {
                let (driver, url) = DriverProcess::start(start.browser)?;
                (Some(driver), url)
            }
        };
        // The driver is on this machine or in its network: no proxy.
        let config = Agent::config_builder().http_status_as_error(false).proxy(None).no_delay(true);
        let agent: Agent = config.timeout_connect(Some(ANSWER_TIME)).build().into();
        let mut browser =
            WebDriver { agent, base, session: String::new(), browser: String::new(), driver, last_act: None };
        browser.begin_session(start)?;
        Ok(browser)
    }

    /// What the browser calls itself: name and version.
    pub(crate) fn browser(&self) -> &str {
        &self.browser
    }

    fn begin_session(&mut self, start: &Start) -> Result<(), Fault> {
        let profile = self.driver.as_ref().map(DriverProcess::profile);
        let mut wanted = start.browser.capabilities(start.headless, profile);
        let milliseconds = |time: Duration| time.as_millis() as u64;
        wanted["timeouts"] = json!({ "script": milliseconds(SCRIPT_TIME), "pageLoad": milliseconds(LOAD_TIME), "implicit": 0 });
        // A page may ask "really start anew?"; and advertisements may load for ever.
        wanted["unhandledPromptBehavior"] = json!("accept");
        wanted["pageLoadStrategy"] = json!("eager");
        let url = format!("{}/session", self.base);
        let body = json!({ "capabilities": { "alwaysMatch": wanted } });
        let no_browser = |why| Fault::NoBrowser { driver: start.browser.driver().to_owned(), why };
        let begun = self.post(&url, &body, START_TIME).map_err(|fault| match fault {
            Fault::Script(why) | Fault::BrowserGone(why) | Fault::Protocol(why) => no_browser(why),
            Fault::Slow(time) => no_browser(format!("it did not start within {} s", time.as_secs())),
            other => other,
        })?;
        let id = begun["sessionId"].as_str().ok_or_else(|| Fault::Protocol("no session id".to_owned()))?;
        self.session = format!("{url}/{id}");
        if self.driver.is_none() {
            let (agent, session) = (self.agent.clone(), self.session.clone());
            self.last_act = Some(interrupt::before_leaving(move || end_session(&agent, &session)));
        }
        let word = |name: &str| begun["capabilities"][name].as_str().unwrap_or("?").to_owned();
        self.browser = format!("{} {}", word("browserName"), word("browserVersion"));
        Ok(())
    }

    /// Sends any command of the session, for tests of our own page.
    #[cfg(test)]
    pub(crate) fn send(&self, path: &str, body: &Value) -> Result<Value, Fault> {
        self.command(path, body, SCRIPT_TIME)
    }

    /// Sends a command of the session.
    fn command(&self, path: &str, body: &Value, time: Duration) -> Result<Value, Fault> {
        if let Some(driver) = &self.driver {
            driver.drain();
        }
        let url = format!("{}/{path}", self.session);
        let mut dialogs = 0;
        loop {
            match self.post(&url, body, time) {
                // The command was not carried out.
                Err(Fault::Dialog(_)) if dialogs < MOST_DIALOGS => dialogs += 1,
                answer => return answer,
            }
        }
    }

    fn post(&self, url: &str, body: &Value, time: Duration) -> Result<Value, Fault> {
        let request = self.agent.post(url).config().timeout_global(Some(time + ANSWER_TIME)).build();
        let gone = |error: ureq::Error| match error {
            ureq::Error::Timeout(_) => Fault::Slow(time + ANSWER_TIME),
            error => Fault::DriverGone { url: self.base.clone(), source: Box::new(error) },
        };
        let request = request.content_type("application/json; charset=utf-8");
        let mut response = request.send(body.to_string()).map_err(gone)?;
        let succeeded = response.status().is_success();
        let text = response.body_mut().read_to_vec().map_err(gone)?;
        let answer: Result<Value, Fault> =
            serde_json::from_slice(&text).map_err(|error| Fault::Protocol(error.to_string()));
        let value = answer?.get_mut("value").map(Value::take);
        let value = value.ok_or_else(|| Fault::Protocol("it has no value".to_owned()))?;
        if succeeded { Ok(value) } else { Err(fault(&value, time)) }
    }
}

/// The fault that the driver reports. The codes are those of the standard; what has no code there
/// is told by the words of the two drivers.
fn fault(value: &Value, time: Duration) -> Fault {
    let code = value["error"].as_str().unwrap_or_default();
    let message = value["message"].as_str().unwrap_or_default();
    let sentence = message.lines().next().unwrap_or_default();
    let words = one_line(if sentence.is_empty() { code } else { sentence }, 300);
    let says = |part: &str| message.contains(part);
    match code {
        "invalid session id" | "no such window" | "session not created" => Fault::BrowserGone(words),
        "timeout" | "script timeout" => Fault::Slow(time),
        "javascript error" => Fault::Script(words),
        "unexpected alert open" => Fault::Dialog(words),
        _ if says("crashed") || says("disconnected") || says("not reachable") || says("marionette") => {
            Fault::BrowserGone(words)
        }
        _ => Fault::Script(words),
    }
}

/// Ends a session, and its browser with it. A driver that is gone has nothing to end.
fn end_session(agent: &Agent, session: &str) {
    let request = agent.delete(session).config().timeout_global(Some(ANSWER_TIME)).build();
    let _ = request.call();
}

impl Transport for WebDriver {
    fn open(&mut self, url: &str) -> Result<(), Fault> {
        let opened = self.command("url", &json!({ "url": url }), LOAD_TIME);
        opened.map(drop).map_err(|fault| match fault {
            Fault::Script(why) => Fault::NotOpened { url: url.to_owned(), why },
            other => other,
        })
    }

    fn script(&mut self, body: &str, arguments: &[Value]) -> Result<Value, Fault> {
        self.command("execute/sync", &json!({ "script": body, "args": arguments }), SCRIPT_TIME)
    }

    fn press(&mut self, key: Key) -> Result<(), Fault> {
        let step = |kind: &str| json!({ "type": kind, "value": key.code() });
        let keyboard =
            json!({ "type": "key", "id": "keyboard", "actions": [step("keyDown"), step("keyUp")] });
        self.command("actions", &json!({ "actions": [keyboard] }), SCRIPT_TIME).map(drop)
    }
}

impl Drop for WebDriver {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            end_session(&self.agent, &self.session);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_by_their_code_and_words() {
        let of =
            |error: &str, message: &str| fault(&json!({ "error": error, "message": message }), SCRIPT_TIME);
        assert!(
            of("no such window", "no such window: target window already closed\nfrom unknown").ends_session()
        );
        assert!(
            of("unknown error", "session deleted because of page crash\nfrom tab crashed").ends_session()
        );
        assert!(of("unknown error", "disconnected: unable to send message to renderer").ends_session());
        assert!(matches!(of("script timeout", "x"), Fault::Slow(_)));
        let failed = of("javascript error", "x is not defined\n  (Session info: chrome)");
        assert_eq!(failed.to_string(), "a script failed in the page: x is not defined");
    }
}
