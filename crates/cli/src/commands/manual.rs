//! `lab2048 man`: the help as manual pages, one for each command.

use std::fs;
use std::path::{Path, PathBuf};

use clap::builder::StyledStr;
use clap::{Args, Command, CommandFactory as _};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use lab2048::files::write_whole;
use lab2048::text::{in_words, shortened};

use crate::args::Cli;
use crate::failure::{Failure, Outcome};
use crate::help;
use crate::{out, place, version};

#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    lab2048 man watch | man -l -\n  \
    lab2048 man evolve show > evolve-show.1\n  \
    lab2048 man -o ~/.local/share/man/man1")]
pub(crate) struct Arguments {
    /// Command whose page is printed [default: the page of the whole program]
    #[arg(value_name = "COMMAND", conflicts_with = "output")]
    command: Vec<String>,
    /// Write the pages of all commands to this folder
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

/// How our pages begin.
const BEGINNING: &str = ".\\\" A manual page of lab2048\n";

pub(crate) fn run(arguments: Arguments) -> Outcome<()> {
    let program = arranged();
    match &arguments.output {
        Some(folder) => write_all(&program, folder),
        None => out::print(&page(find(&program, &arguments.command)?)?.1),
    }
}

/// All commands that get a page.
fn arranged() -> Command {
    let mut program = with_plain_values(help::arranged(Cli::command())).disable_help_subcommand(true);
    program.build();
    program
}

/// Puts the possible values of options into their help. The generator would make lists of them,
/// with line breaks that `mandoc` warns of.
fn with_plain_values(command: Command) -> Command {
    let command = command.mut_args(|arg| {
        let values = arg.get_possible_values();
        let values: Vec<&str> =
            values.iter().filter(|value| !value.is_hide_set()).map(|value| value.get_name()).collect();
        if values.is_empty() || !arg.get_action().takes_values() {
            return arg;
        }
        let help = arg.get_help().map(StyledStr::to_string).unwrap_or_default();
        arg.help(format!("{help} [possible values: {}]", values.join(", "))).hide_possible_values(true)
    });
    command.mut_subcommands(with_plain_values)
}

fn find<'a>(program: &'a Command, words: &[String]) -> Outcome<&'a Command> {
    words.iter().try_fold(program, |command, word| {
        let mut inner = shown(command);
        inner.find(|inner| inner.get_name() == word).ok_or_else(|| {
            let path = command.get_bin_name().unwrap_or("lab2048");
            let names: Vec<&str> = shown(command).map(Command::get_name).collect();
            let word = shortened(word);
            match names.is_empty() {
                true => Failure::BadInput(format!("{path} has no command '{word}'")),
                false => Failure::BadInput(format!(
                    "{path} has no command '{word}'; there are: {}",
                    names.join(", ")
                )),
            }
        })
    })
}

fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|inner| !inner.is_hide_set())
}

/// Writes the pages of a command and of those inside it, after a look at all files.
fn write_all(program: &Command, folder: &Path) -> Outcome<()> {
    let mut pages = Vec::new();
    collect(program, &mut pages)?;
    fs::create_dir_all(folder).map_err(|error| {
        Failure::Failed(format!("cannot create {}: {}", folder.display(), in_words(&error)))
    })?;
    for (name, _) in &pages {
        let content = place::Content::Begins(&[BEGINNING.as_bytes()]);
        let kind = place::Kind { name: "a manual page of lab2048", content, endings: &["1"] };
        place::check(&folder.join(name), &kind)?;
    }
    for (name, text) in &pages {
        write_whole(&folder.join(name), |file| file.write_all(text.as_bytes())).map_err(Failure::failed)?;
    }
    out::print(&format!("{} manual pages are in {}\n", pages.len(), folder.display()))
}

fn collect(command: &Command, pages: &mut Vec<(String, String)>) -> Outcome<()> {
    pages.push(page(command)?);
    shown(command).try_for_each(|inner| collect(inner, pages))
}

/// The name of the file and the page.
fn page(command: &Command) -> Outcome<(String, String)> {
    let notes = command.get_after_help().map(StyledStr::to_string).unwrap_or_default();
    let man = Man::new(command.clone());
    let name = command.get_display_name().unwrap_or("lab2048");
    // The generator would leave out a date that is not known, and with it the place of the others.
    let title = format!(
        "{BEGINNING}.TH {name} 1 \"{}\" \"lab2048 {}\" \"lab2048 manual\"\n",
        version::date().unwrap_or_default(),
        env!("CARGO_PKG_VERSION")
    );
    let mut text = title.into_bytes();
    let sections = [
        Man::render_name_section,
        Man::render_synopsis_section,
        Man::render_description_section,
        Man::render_options_section,
    ];
    let rendered = sections.iter().try_for_each(|section| section(&man, &mut text));
    let rendered = rendered.and_then(|()| {
        if shown(command).next().is_some() {
            man.render_subcommands_section(&mut text)?;
        }
        closing(command, &notes).to_writer(&mut text)
    });
    rendered.map_err(Failure::failed)?;
    Ok((man.get_filename(), String::from_utf8_lossy(&text).into_owned()))
}

/// Examples, notes and the other pages.
fn closing(command: &Command, notes: &str) -> Roff {
    let mut roff = Roff::new();
    let (examples, others) = help::divided(notes);
    for (heading, paragraphs) in [("EXAMPLES", examples), ("NOTES", others)] {
        if !paragraphs.is_empty() {
            roff.control("SH", [heading]);
        }
        for (number, paragraph) in paragraphs.into_iter().enumerate() {
            if number > 0 {
                roff.control("PP", []);
            }
            write_paragraph(&mut roff, paragraph);
        }
    }
    let name = command.get_display_name().unwrap_or("lab2048");
    if let Some((outer, _)) = name.rsplit_once('-') {
        roff.control("SH", ["SEE ALSO"]);
        roff.text([bold(outer), roman("(1)")]);
    }
    roff
}

/// A paragraph. The lines of one with indented lines stay as they are.
fn write_paragraph(roff: &mut Roff, paragraph: &str) {
    let is_list = paragraph.lines().any(|line| line.starts_with(' '));
    if !is_list {
        roff.text([roman(paragraph.replace('\n', " "))]);
        return;
    }
    roff.control("nf", []);
    for line in paragraph.lines().filter(|line| *line != "Examples:" && *line != "Example:") {
        roff.text([roman(line.strip_prefix("  ").unwrap_or(line))]);
    }
    roff.control("fi", []);
}
