//! `lab2048 import`: makes a network file of the weights of another program.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

use clap::Args;
use lab2048::files::FileError;
use lab2048::ntuple::NetworkFile;

use crate::failure::{Failure, Outcome};
use crate::{interrupt, out, place, report};

#[derive(Args, Debug)]
#[command(
    after_help = "Reads a weight file (.w) of TDL2048+ (github.com/moporgic/TDL2048): a network of patterns with up to 7 cells, for \
    example 4x6patt or 8x6patt, with one stage. The weights are rounded to 16 bits.\n\n\
    Examples:\n  lab2048 import 4x6patt.w -o 4x6patt.net\n  lab2048 watch ntuple:net=4x6patt.net\n  lab2048 train mine --from 4x6patt.net"
)]
pub(crate) struct Arguments {
    /// Weight file of TDL2048+
    file: PathBuf,
    /// Network file to write; it must not exist yet
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

pub(crate) fn run(arguments: Arguments) -> Outcome<()> {
    interrupt::end_at_once();
    let Arguments { file, output } = arguments;
    place::check(
        &output,
        &place::Kind { name: "a network", content: place::Content::Any, endings: &["net"] },
    )?;
    if output.exists() {
        return Err(Failure::BadInput(format!("{} already exists; choose another name", output.display())));
    }
    let source = File::open(&file)
        .map_err(|source| Failure::bad_input(FileError::Read { path: file.clone(), source }))?;
    let imported = NetworkFile::from_tdl(&mut BufReader::new(source));
    let NetworkFile { network, notes } =
        imported.map_err(|error| Failure::bad_input(error).at(&format!("{}: ", file.display())))?;
    NetworkFile::write(&output, &network, notes).map_err(Failure::failed)?;
    let bytes = std::fs::metadata(&output).map_or(0, |file| file.len());
    let (patterns, step) = (&network.shape().patterns, network.weight_scale());
    out::print(&format!(
        "{}: patterns {patterns}, weights rounded to {step} points, {} KB\n",
        output.display(),
        report::whole(bytes.div_ceil(1000)),
    ))
}
