//! Pictures: frames of running games as arrays, and replays as GIFs.

use std::io::{self, Write};
use std::ops::{ControlFlow, RangeInclusive};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use lab2048::board::Size;
use lab2048::files::write_whole;
use lab2048::game::Replay;
use lab2048::game::replay::Position;
use lab2048_draw::animation::{Animation, Pace, moves_shown};
use lab2048_draw::film::{self, Head};
use numpy::{IntoPyArray, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::convert::{Made, SizeArg, Whole, made, sides};
use crate::errors::{fault, file, invalid};
use crate::game::Game;
use crate::replay::ReplayArg;
use crate::waiting::reporting;

/// The error if the thread that draws ended without a result.
const BROKE_DOWN: &str = "the drawing crashed";

/// How often the progress of a GIF is told.
const PROGRESS: Duration = Duration::from_millis(20);

/// The tile in the title of the pictures of games.
const GOAL: u64 = 2048;

const SCALES: RangeInclusive<f64> = 0.125..=8.0;
const SECONDS: RangeInclusive<f64> = 0.02..=60.0;
const MOST_SMOOTH: u16 = 60;

/// Draws the frames of games on boards of one size.
#[pyclass(module = "lab2048._native")]
pub(crate) struct Film {
    film: film::Film,
    size: Size,
    scale: f64,
}

fn within(what: &str, number: f64, range: &RangeInclusive<f64>, unit: &str) -> PyResult<f64> {
    if range.contains(&number) {
        return Ok(number);
    }
    let (least, most) = (range.start(), range.end());
    Err(invalid(format!("{what} must be from {least} to {most}{unit}, not {number}")))
}

#[pymethods]
impl Film {
    /// A film for boards of this size. At scale 1 a tile has 64 pixels.
    #[new]
    #[pyo3(signature = (size, scale=1.0))]
    fn from_python(size: SizeArg, scale: f64) -> PyResult<Film> {
        let scale = within("the scale", scale, &SCALES, "")?;
        Ok(Film { film: film::Film::new(size.0, scale as f32, GOAL), size: size.0, scale })
    }

    /// The board of a running game with its score and its number of moves: height x width x 3.
    fn picture<'py>(
        &mut self,
        py: Python<'py>,
        game: &Bound<'py, Game>,
    ) -> PyResult<Bound<'py, PyArray3<u8>>> {
        let game = game.try_borrow()?;
        let game = game.running();
        let (found, wanted) = (game.board().size(), self.size);
        if found != wanted {
            return Err(invalid(lab2048::board::InvalidBoard::OtherSize { found, wanted }));
        }
        let canvas = self.film.still(game.board(), Head { score: game.score(), moves: game.moves() });
        let pixels = canvas.rgb(&self.film.colours());
        pixels.into_pyarray(py).reshape([canvas.height, canvas.width, 3])
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Made<'py, ((usize, usize), f64)> {
        made::<Film, _>(py, (sides(self.size), self.scale))
    }
}

/// Writes a replay, a Replay or the path of its file, as an animated GIF. Returns a summary: the
/// number of pictures and moves, the score, the width and the height. `progress(done, total)` is
/// called from time to time with the moves; if it raises, the work ends. The file is written
/// completely or not at all.
#[pyo3::pyfunction]
#[pyo3(signature = (replay, path, *, every=None, delay=0.2, smooth=None, hold=3.0, scale=1.0, repeat=true,
    until=None, max_moves=None, progress=None))]
#[allow(clippy::too_many_arguments)] // each is a keyword of the Python function
pub(crate) fn gif<'py>(
    py: Python<'py>,
    replay: ReplayArg,
    path: PathBuf,
    every: Option<Whole>,
    delay: f64,
    smooth: Option<u16>,
    hold: f64,
    scale: f64,
    repeat: bool,
    until: Option<Whole>,
    max_moves: Option<Whole>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let ReplayArg(replay) = replay;
    let (until, max_moves) = (until.map(|tile| tile.0), max_moves.map(|moves| moves.0));
    let is_enough = move |position: &Position| {
        max_moves.is_some_and(|most| position.number as u64 >= most)
            || until.is_some_and(|tile| position.board.largest() >= tile)
    };
    let total = moves_shown(&replay, is_enough);
    let every = every.map_or_else(|| Pace::default_every(total), |every| every.0);
    if every == 0 {
        return Err(invalid("every must be at least 1"));
    }
    let smooth = smooth.unwrap_or_else(|| Pace::default_smooth(every));
    if smooth > MOST_SMOOTH {
        return Err(invalid(format!("smooth must be from 0 to {MOST_SMOOTH}, not {smooth}")));
    }
    let seconds = |what, time| within(what, time, &SECONDS, " seconds").map(Duration::from_secs_f64);
    let pace = Pace::new(every, seconds("the delay", delay)?, smooth, seconds("hold", hold)?);
    let scale = within("the scale", scale, &SCALES, "")? as f32;
    let work = move |cancel: &AtomicBool, tell: &(dyn Fn(usize) + Sync)| {
        check_playable(&replay)?;
        let animation = Animation { replay: &replay, pace, scale, repeat };
        let (mut summary, mut told) = (None, Instant::now());
        let written = write_whole(&path, |out| {
            let animated = animation.write(&mut Stoppable { out, cancel }, |position| {
                if told.elapsed() >= PROGRESS {
                    tell(position.number);
                    told = Instant::now();
                }
                if is_enough(position) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
            summary = Some(animated);
            Ok(())
        });
        written.map_err(file)?;
        let animated = summary.unwrap_or_default();
        tell(animated.moves as usize);
        Ok::<_, PyErr>((animated, animation.picture_size()))
    };
    let (animated, (width, height)) = reporting(py, BROKE_DOWN, work, |done| {
        progress.as_ref().map_or(Ok(()), |progress| progress.call1((done, total)).map(drop))
    })??;
    let summary = PyDict::new(py);
    summary.set_item("pictures", animated.pictures)?;
    summary.set_item("moves", animated.moves)?;
    summary.set_item("score", animated.score)?;
    summary.set_item("width", width)?;
    summary.set_item("height", height)?;
    Ok(summary)
}

/// Fails once the work is cancelled, so that the file is not written at all.
struct Stoppable<'a> {
    out: &'a mut dyn Write,
    cancel: &'a AtomicBool,
}

impl Write for Stoppable<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.cancel.load(Ordering::Relaxed) {
            return Err(io::Error::other("it was cancelled"));
        }
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Finds an impossible step before a picture is drawn.
fn check_playable(replay: &Replay) -> PyResult<()> {
    replay.positions().try_for_each(|position| position.map(drop)).map_err(fault)
}
