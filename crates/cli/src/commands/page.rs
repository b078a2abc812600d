//! `lab2048 page`: writes the page as files for any web host.

use std::path::PathBuf;

use clap::Args;

use crate::failure::Outcome;
use crate::out;
use crate::serve::site;

#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  lab2048 page -o site\n  lab2048 page -o site --full\n\n\
    The files work on any web host, in any folder of it, without this program. A folder that holds the page already is \
    brought up to date.")]
pub(crate) struct Arguments {
    /// Folder to write to: a new or empty one, or one with the page
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Also write the large network (45 MB)
    #[arg(long)]
    full: bool,
}

pub(crate) fn run(arguments: Arguments) -> Outcome<()> {
    let written = site::write(&arguments.output, arguments.full)?;
    let (folder, mb) = (arguments.output.display(), written.bytes as f64 / 1e6);
    out::print(&format!("{folder}: {} files, {mb:.1} MB\n", written.files))
}
