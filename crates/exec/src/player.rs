//! `exec:cmd=...`: a bot in any language that talks to us over standard input and output. The
//! protocol is described in `docs/reference/bot-protocol.md`.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs, io};

use lab2048::board::Board;
use lab2048::files::hash_of;
use lab2048::game::{
    Action, Decision, ForeignProgram, Game, GameStart, IdleMove, Player, PlayerError, PlayerFacts,
    PlayerFile, PlayerFilesError, Refusal, Rules, Situation,
};
use lab2048::players::{BuildError, Entry, Kind, Param, Settings};
use lab2048::text::{in_words, one_line};
use thiserror::Error;

use crate::process::{BotProcess, Trouble};

/// The maximum number of characters of a command or an answer in a message.
const LONGEST_QUOTE: usize = 100;

/// The registry entry.
pub fn entry() -> Entry {
    const PARAMS: &[Param] = &[
        Param {
            name: "cmd",
            default: None,
            kind: Kind::Command,
            unit: None,
            help: "program and arguments, split at blanks; quote an argument that contains blanks",
        },
        Param {
            name: "time",
            default: Some("10s"),
            kind: Kind::TimeOrNone,
            unit: Some("for each answer"),
            help: "time limit for each answer; the first answer's time includes the start of the program",
        },
        Param {
            name: "stderr",
            default: Some("keep"),
            kind: Kind::Choice(&["keep", "show"]),
            unit: None,
            help: "standard error of the program: keep shows only its last line, and only if the bot fails; show shows all of it; on a full screen, once you leave it",
        },
        Param {
            name: "version",
            default: Some("none"),
            kind: Kind::Text,
            unit: None,
            help: "any word; a different word makes a different player. Use it to mark a change that the files in cmd do not show",
        },
    ];
    Entry::new(
        "exec",
        "a bot in any language, connected by standard input and output (docs/reference/bot-protocol.md)",
        PARAMS,
        build,
    )
}

fn build(settings: &Settings) -> Result<Box<dyn Player>, BuildError> {
    let command = settings.text("cmd").to_owned();
    let words = split_words(&command).filter(|words| !words.is_empty()).ok_or_else(|| {
        BuildError::impossible(format!("exec: '{command}' is not a command: its quotes do not match"))
    })?;
    let exec = Exec {
        command,
        words,
        limit: settings.time_or_none("time"),
        show_errors: settings.text("stderr") == "show",
        rules: Rules::default(),
        running: None,
        asked: false,
        reused: false,
        pinned: None,
        change: None,
    };
    Ok(Box::new(exec))
}

/// A bot failed.
#[derive(Debug, Error)]
#[error("exec ({}): {fault}", one_line(command, LONGEST_QUOTE))]
struct BotError {
    command: String,
    #[source]
    fault: BotFault,
}

/// How a bot failed.
#[derive(Debug, Error)]
enum BotFault {
    /// Its files are not the pinned ones.
    #[error("{0}")]
    Changed(String),
    #[error("the program does not start: {}", in_words(.0))]
    Start(#[source] io::Error),
    /// It gave an answer that the rules do not allow.
    #[error("{0}")]
    Answer(String),
    #[error("{what}{}", last_line(last_words.as_deref()))]
    Ended { what: String, last_words: Option<String> },
}

/// The last line in full: it usually is the reason. The process limits its length.
fn last_line(words: Option<&str>) -> String {
    let quoted = words.map(|words| one_line(words, usize::MAX));
    quoted.map_or_else(String::new, |line| format!("; its last line on standard error: {line}"))
}

/// A bot. The program is started for the first game and keeps running for the next ones. After a
/// failure it is restarted.
struct Exec {
    /// The command as the user wrote it, for messages.
    command: String,
    words: Vec<String>,
    limit: Option<Duration>,
    show_errors: bool,
    /// The rules of the current game.
    rules: Rules,
    running: Option<BotProcess>,
    /// Whether the program has been asked for a move in the current game.
    asked: bool,
    /// Whether the program was already running before the current game.
    reused: bool,
    /// The file hashes that the program must have when it is started. `None` allows any.
    pinned: Option<Vec<PlayerFile>>,
    /// How the files differed at the last start.
    change: Option<String>,
}

impl Player for Exec {
    fn start(&mut self, game: &GameStart<'_>) -> Result<(), Refusal> {
        self.rules = game.rules.clone();
        self.asked = false;
        // A bot may exit after a game. The next game then starts a new process.
        match self.running.as_ref().map_or(Ok(None), BotProcess::unasked) {
            Ok(None) => {}
            Ok(Some(line)) => return Err(Refusal::because(self.fail(Trouble::Unasked(line)))),
            Err(Trouble::Closed) => self.running = None,
            Err(trouble) => return Err(Refusal::because(self.fail(trouble))),
        }
        self.reused = self.running.is_some();
        self.announce().map_err(Refusal::because)
    }

    fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
        let mut answer = self.ask(situation);
        // The bot may have been exiting after the last game while this one began.
        if matches!(answer, Err(Trouble::Closed)) && self.reused && !self.asked {
            self.running = None;
            self.announce().map_err(PlayerError::because)?;
            answer = self.ask(situation);
        }
        self.asked = true;
        let action = match answer {
            Ok(answer) => {
                let action = read_answer(&answer, situation.board, &self.rules);
                action.map_err(|reason| self.end_it(BotFault::Answer(reason)))
            }
            Err(Trouble::Interrupted) => Ok(Action::Quit),
            Err(trouble) => Err(self.fail(trouble)),
        };
        action.map(Decision::of).map_err(PlayerError::because)
    }

    fn end(&mut self, game: &Game) {
        if let Some(running) = &self.running {
            // If it no longer reads, the next game notices.
            let _ = running.tell(format!("end {} {}\n", game.score(), game.board().largest()));
        }
    }

    fn facts(&self) -> PlayerFacts<'_> {
        PlayerFacts { repeatable: false, ..PlayerFacts::default() }
    }

    fn foreign(&mut self) -> Option<&mut dyn ForeignProgram> {
        Some(self)
    }
}

impl ForeignProgram for Exec {
    /// Every word of the command that names a file, the program first.
    fn files(&mut self) -> Result<Vec<PlayerFile>, PlayerFilesError> {
        let program = self.words.first().and_then(|word| Some((word, program_file(word)?)));
        let arguments = self.words.iter().skip(1).map(|word| (word, PathBuf::from(word)));
        let files = program.into_iter().chain(arguments).filter(|(_, path)| path.is_file());
        let file = |(word, path): (&String, PathBuf)| match hash_of(&path) {
            Ok(sha256) => Ok(PlayerFile { file: word.clone(), sha256 }),
            Err(source) => Err(PlayerFilesError::Unreadable { path, source }),
        };
        files.map(file).collect()
    }

    fn pin(&mut self, files: &[PlayerFile]) {
        self.pinned = Some(files.to_vec());
    }

    fn change(&mut self) -> Option<String> {
        self.change.clone()
    }
}

/// The file of a program. A name without a folder is searched for in PATH.
fn program_file(word: &str) -> Option<PathBuf> {
    if word.contains(std::path::is_separator) {
        return Some(PathBuf::from(word));
    }
    // The default search path of execvp(3) without PATH.
    let folders = env::var_os("PATH").unwrap_or_else(|| "/bin:/usr/bin".into());
    let names = [word.to_owned(), format!("{word}{}", env::consts::EXE_SUFFIX)];
    env::split_paths(&folders)
        .flat_map(|folder| names.each_ref().map(|name| folder.join(name)))
        .find(|path| is_program(path))
}

/// Whether a file is executable.
fn is_program(path: &Path) -> bool {
    #[cfg(unix)]
    let may_start =
        |found: fs::Metadata| std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let may_start = |_| true;
    path.is_file() && fs::metadata(path).is_ok_and(may_start)
}

impl Exec {
    /// Tells the program that a game begins. Starts the program if it is not running.
    fn announce(&mut self) -> Result<(), BotError> {
        if self.running.is_none() {
            self.check_files().map_err(|change| self.end_it(BotFault::Changed(change)))?;
            let started = BotProcess::start(&self.words, self.show_errors);
            self.running = Some(started.map_err(|error| self.end_it(BotFault::Start(error)))?);
        }
        let idle = match self.rules.idle {
            IdleMove::Refused => "refused",
            IdleMove::Spawns => "spawns",
        };
        let line = format!("new {} four={} idle={idle}\n", self.rules.size, self.rules.four);
        match self.running.as_ref().map_or(Ok(()), |running| running.tell(line)) {
            // If the program is already gone, the next question reports it.
            Ok(()) | Err(Trouble::Closed) => Ok(()),
            Err(trouble) => Err(self.fail(trouble)),
        }
    }

    /// Fails if the files are not the pinned ones.
    fn check_files(&mut self) -> Result<(), String> {
        let Some(pinned) = self.pinned.clone() else { return Ok(()) };
        self.change = match self.files() {
            Ok(files) => PlayerFile::difference(&pinned, &files),
            Err(error) => Some(error.to_string()),
        };
        self.change.clone().map_or(Ok(()), Err)
    }

    fn ask(&mut self, situation: &Situation<'_>) -> Result<String, Trouble> {
        let running = self.running.as_ref().ok_or(Trouble::Closed)?;
        if let Some(line) = running.unasked()? {
            return Err(Trouble::Unasked(line));
        }
        match running.tell(format!("move {} {}\n", board_word(situation.board), situation.score)) {
            // A program that no longer reads may still have an answer queued, or its exit status
            // has to be reported. Both come from `answer`.
            Ok(()) | Err(Trouble::Closed) => running.answer(self.limit),
            Err(trouble) => Err(trouble),
        }
    }

    /// Kills the program and returns the error.
    fn end_it(&mut self, fault: BotFault) -> BotError {
        if let Some(running) = self.running.take() {
            running.kill();
        }
        BotError { command: self.command.clone(), fault }
    }

    /// Like [`Exec::end_it`], for a failure of the program.
    fn fail(&mut self, trouble: Trouble) -> BotError {
        let (status, last_words) = match (&trouble, &mut self.running) {
            (Trouble::Closed, Some(running)) => running.how_it_ended(),
            _ => (None, None),
        };
        let what = match trouble {
            Trouble::Closed => match status {
                Some(status) => format!("it ended ({status}) instead of answering"),
                None => "it closed its output instead of answering".to_owned(),
            },
            Trouble::Deaf => "it does not read its input".to_owned(),
            Trouble::Late(limit) => format!("it did not answer within {limit:?}"),
            Trouble::TooLong => "it wrote a line that is too long".to_owned(),
            Trouble::Unasked(line) => {
                format!("it wrote '{}' without being asked", one_line(&line, LONGEST_QUOTE))
            }
            Trouble::Interrupted => "it was interrupted".to_owned(),
        };
        self.end_it(BotFault::Ended { what, last_words })
    }
}

/// A board as one word, such as `0,2,0,0/0,0,0,4/...`.
fn board_word(board: &Board) -> String {
    let grid = board.to_grid();
    let row = |row: &[u64]| row.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
    grid.rows().map(row).collect::<Vec<_>>().join("/")
}

/// Parses an answer and checks that the rules allow it.
fn read_answer(answer: &str, board: &Board, rules: &Rules) -> Result<Action, String> {
    let shown = one_line(answer, LONGEST_QUOTE);
    match answer.to_ascii_lowercase().as_str() {
        "quit" => return Ok(Action::Quit),
        "pass" if rules.idle == IdleMove::Refused => {
            return Err(format!("it answered '{shown}', but these rules do not allow a pass"));
        }
        "pass" => return Ok(Action::Pass),
        _ => {}
    }
    let direction = answer.parse().map_err(|_| {
        format!("it answered '{shown}', which is not one of up, right, down, left, pass and quit")
    })?;
    if rules.idle == IdleMove::Refused && !board.legal_moves().contains(direction) {
        return Err(format!("it answered '{shown}', which does not change the board"));
    }
    Ok(Action::Move(direction))
}

/// Splits at whitespace. Single and double quotes group words. `None` if a quote is not closed.
fn split_words(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for letter in text.chars() {
        match quote {
            Some(open) if letter == open => quote = None,
            Some(_) => word.get_or_insert_default().push(letter),
            None if letter == '\'' || letter == '"' => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            None if letter.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_at_blanks_outside_quotes() {
        let split = |text: &str| split_words(text).map(|words| words.join("|"));
        assert_eq!(split("python3  bot.py -v ").as_deref(), Some("python3|bot.py|-v"));
        assert_eq!(
            split("sh -c 'while read line; do echo \"up\"; done'").as_deref(),
            Some("sh|-c|while read line; do echo \"up\"; done")
        );
        assert_eq!(split("'a b'c \"\"").as_deref(), Some("a bc|"));
        assert_eq!(split("a 'b"), None);
        assert_eq!(split("  ").as_deref(), Some(""));
    }

    #[cfg(unix)]
    #[test]
    fn a_program_is_the_file_that_would_be_started() {
        let shell = program_file("sh").expect("there is a shell");
        assert!(shell.is_absolute() && is_program(&shell), "{}", shell.display());
        assert_eq!(program_file("./bot"), Some(PathBuf::from("./bot")));
        assert_eq!(program_file("no such program"), None);
    }

    #[test]
    fn answers_are_words_or_letters_in_any_case() {
        //  2 .
        //  2 .   up, down and right change the board, left does not
        let board: Board = "2 0/2 0".parse().unwrap();
        let rules = Rules::default();
        let course = Rules::COURSE;
        let read = |answer: &str, rules| read_answer(answer, &board, rules);
        assert_eq!(read("up", &rules), read("U", &rules));
        assert_eq!(read("QUIT", &rules), Ok(Action::Quit));
        assert_eq!(read("Pass", &course), Ok(Action::Pass));
        assert!(read("left", &course).is_ok(), "with these rules an idle move is a pass");
        assert!(read("left", &rules).unwrap_err().contains("does not change the board"));
        assert!(read("pass", &rules).unwrap_err().contains("do not allow a pass"));
        assert!(read("", &rules).unwrap_err().contains("it answered '', which is not one of"));
        assert!(read("\u{7}up", &rules).unwrap_err().contains("'?up'"));
    }
}
