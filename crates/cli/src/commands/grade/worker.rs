//! A worker: a grader that grades submissions for another grader, one after another. So several
//! submissions can run at the same time, and each has a grader of its own, whose descendants are
//! exactly its processes.
//!
//! Orders come on standard input: a line of JSON with [`Orders`], then for each submission a line
//! with [`Task`] followed by its files. Answers are lines of JSON with [`Report`] on standard
//! output. Nothing that a submission must not know is on the command line.

use std::ffi::OsString;
use std::io::{self, BufRead, Read as _, Write};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use clap::Args;
use lab2048::text::in_words;
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use nix::unistd::getppid;
use serde::{Deserialize, Serialize};

use super::fence::{Apart, Who};
use super::grading::{self, GradingPlan, News};
use super::python::Python;
use super::results::BareGrade;
use super::sources::Source;

use crate::failure::{Failure, Outcome};
use crate::{interrupt, out};

/// The hidden command that grades for another grader. Only `lab2048 grade` calls it.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The process that sends the orders
    #[arg(long)]
    grader: i32,
}

/// What is the same for all submissions of a worker.
#[derive(Deserialize, Serialize)]
pub(super) struct Orders {
    pub(super) plan: GradingPlan,
    pub(super) python: PathBuf,
    pub(super) apart: Apart,
}

/// A submission to grade. Its files follow, without anything between them.
#[derive(Deserialize, Serialize)]
struct Task {
    name: String,
    /// Paths as bytes: they need not be text.
    single: Option<Vec<u8>>,
    files: Vec<(Vec<u8>, u64)>,
}

/// What a worker reports.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Report {
    /// It can grade. Its submissions run as this user, unless they run as the grader's.
    Ready { user: Option<u32> },
    /// It cannot grade beside others.
    Refused(String),
    /// The number of games of the current submission that are done.
    News { done: u64, words: String },
    /// The grade of the current submission.
    Graded(BareGrade),
    /// The current submission could not be graded.
    Failed(String),
}

/// Writes a value as one line of JSON.
pub(super) fn write_line(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value).map_err(io::Error::other)?;
    line.push(b'\n');
    out.write_all(&line)?;
    out.flush()
}

fn read_line<T: for<'a> Deserialize<'a>>(input: &mut impl BufRead) -> io::Result<Option<T>> {
    let mut line = Vec::new();
    input.read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    serde_json::from_slice(&line).map(Some).map_err(io::Error::other)
}

/// Sends a submission to a worker. Its files must be readable.
pub(super) fn send(out: &mut impl Write, source: &Source) -> io::Result<()> {
    let files = source.files.as_ref().map_err(|reason| io::Error::other(reason.as_str()))?;
    let bytes = |path: &Path| path.as_os_str().as_bytes().to_vec();
    let task = Task {
        name: source.name.clone(),
        single: source.single.as_deref().map(bytes),
        files: files.iter().map(|(path, content)| (bytes(path), content.len() as u64)).collect(),
    };
    write_line(out, &task)?;
    files.iter().try_for_each(|(_, content)| out.write_all(content))?;
    out.flush()
}

fn receive(input: &mut impl BufRead) -> io::Result<Option<Source>> {
    let Some(task) = read_line::<Task>(input)? else { return Ok(None) };
    let path = |bytes: Vec<u8>| PathBuf::from(OsString::from_vec(bytes));
    let mut files = Vec::new();
    for (name, length) in task.files {
        let mut content = Vec::new();
        input.by_ref().take(length).read_to_end(&mut content)?;
        if content.len() as u64 != length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        files.push((path(name), content));
    }
    Ok(Some(Source { name: task.name, files: Ok(files), single: task.single.map(path) }))
}

/// Grades for another grader until that closes our input.
pub(crate) fn run(arguments: Arguments) -> Outcome<()> {
    interrupt::heed_quit();
    // If the other grader is killed, this one ends as after Ctrl-C and cleans up.
    set_pdeathsig(Signal::SIGTERM).map_err(Failure::failed)?;
    if getppid().as_raw() != arguments.grader {
        return Ok(());
    }
    let mut input = io::stdin().lock();
    let failed = |error: io::Error| Failure::Failed(format!("cannot read the orders: {}", in_words(&error)));
    let Some(Orders { plan, python, apart }) = read_line(&mut input).map_err(failed)? else { return Ok(()) };
    let python = match Python::find_quietly(&python) {
        Ok(python) => Python { apart, ..python },
        Err(failure) => return report(&Report::Refused(failure.to_string())),
    };
    if let Some(why) = python.place.why_alone() {
        return report(&Report::Refused(why.to_owned()));
    }
    let user = match python.place.who {
        Who::OwnUser { user, .. } => Some(user),
        Who::SameUser => None,
    };
    report(&Report::Ready { user })?;
    while let Some(source) = receive(&mut input).map_err(failed)? {
        // News that cannot be told are not missed: the other grader is gone, which ends this one.
        let mut news = News::told(|done, words| {
            let _ = report(&Report::News { done, words: words.to_owned() });
        });
        let graded = grading::grade_source(&source, &python, &plan, &mut news);
        drop(news);
        report(&match graded {
            Ok(grade) => Report::Graded(BareGrade::of(&grade)),
            Err(failure) => Report::Failed(failure.to_string()),
        })?;
    }
    Ok(())
}

fn report(report: &Report) -> Outcome<()> {
    Ok(write_line(&mut out::stdout(), report)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_submission_arrives_as_it_was_sent() {
        let odd = PathBuf::from(OsString::from_vec(b"a\xff\n.py".to_vec()));
        let files = vec![
            (PathBuf::from("search.py"), b"one\ntwo".to_vec()),
            (PathBuf::from("empty"), Vec::new()),
            (odd, vec![0, 10, 255]),
        ];
        let mut sent = Vec::new();
        for name in ["first \"one\"\n", "second"] {
            let source = Source {
                name: name.to_owned(),
                files: Ok(files.clone()),
                single: Some(PathBuf::from("in/one.py")),
            };
            send(&mut sent, &source).unwrap();
        }
        let mut input = sent.as_slice();
        for name in ["first \"one\"\n", "second"] {
            let source = receive(&mut input).unwrap().unwrap();
            assert_eq!((source.name.as_str(), &source.files), (name, &Ok(files.clone())));
            assert_eq!(source.single, Some(PathBuf::from("in/one.py")));
        }
        assert!(receive(&mut input).unwrap().is_none());
        assert!(receive(&mut &sent[..sent.len() - 1]).unwrap().is_some());
        let cut = sent.len() / 2 - 1;
        assert!(receive(&mut &sent[..cut]).is_err());
    }
}
