//! `lab2048 serve`: shows the page, with this program's players behind it.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

use clap::Args;

use crate::failure::Outcome;
use crate::numbers::whole_as;
use crate::serve::{ServeOptions, serve};

#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  lab2048 serve --open\n  lab2048 serve runs --port 8080\n  curl \"http://127.0.0.1:2048/api/best?board=2+4+8+16/0+2+4+8/0+0+2+4/0+0+0+2&player=greedy\"\n\n\
    The page plays with an engine of its own, and with this program's engine and networks when asked. docs/reference/serve.md \
    describes the requests. Only this machine can reach the server, unless --address says otherwise."
)]
pub(crate) struct Arguments {
    /// Folder whose replays, records, tables and programs the page may read, and those of its
    /// folders
    #[arg(value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Port [default: 2048, or a free one if that is taken]
    #[arg(long, value_name = "N", value_parser = whole_as::<u16>(1, 65_535), allow_hyphen_values = true)]
    port: Option<u16>,
    /// Address to listen at. With another one than 127.0.0.1, everyone who reaches it can use the
    /// engine and read the files of FOLDER
    #[arg(long, value_name = "IP", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    address: IpAddr,
    /// Open the page in a browser
    #[arg(long)]
    open: bool,
    /// Print a line for each request
    #[arg(long)]
    log: bool,
}

pub(crate) fn run(arguments: Arguments) -> Outcome<()> {
    let Arguments { folder, port, address, open, log } = arguments;
    serve(ServeOptions { folder, address, port, open, log })
}
