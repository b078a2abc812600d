//! The learning curve: a file that grows by lines. An incomplete last line is ignored.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use lab2048::files::write_whole;
use lab2048::learn::{Finished, Progress};
use lab2048::text::in_words;

use crate::failure::{Failure, Outcome};

/// The tiles whose rates are recorded, with their column names.
pub(super) const TILES: [(u8, &str); 6] =
    [(11, "2048"), (12, "4096"), (13, "8192"), (14, "16384"), (15, "32768"), (16, "65536")];

/// One point of the curve: the games since the previous point.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Point {
    pub(super) games: u64,
    pub(super) moves: u64,
    pub(super) seconds: f64,
    pub(super) mean: f64,
    /// The number of games in the mean.
    pub(super) over: u64,
    /// The share of those games that reached each of [`TILES`].
    pub(super) rates: [f64; TILES.len()],
}

impl Point {
    /// The point for these games. There must be at least one.
    pub(super) fn new(progress: Progress, games: &[Finished]) -> Point {
        let count = games.len() as f64;
        let rate = |(rank, _)| games.iter().filter(|game| game.largest >= rank).count() as f64 / count;
        Point {
            games: progress.games,
            moves: progress.moves,
            seconds: progress.seconds,
            mean: games.iter().map(|game| f64::from(game.score)).sum::<f64>() / count,
            over: games.len() as u64,
            rates: TILES.map(rate),
        }
    }

    fn line(&self) -> String {
        let rates: Vec<String> = self.rates.iter().map(|rate| format!("{rate:.4}")).collect();
        let Point { games, moves, seconds, mean, over, .. } = self;
        format!("{games},{moves},{seconds:.1},{mean:.1},{over},{}\n", rates.join(","))
    }

    fn parse(line: &str) -> Option<Point> {
        let mut words = line.split(',');
        let mut point = Point {
            games: words.next()?.parse().ok()?,
            moves: words.next()?.parse().ok()?,
            seconds: words.next()?.parse().ok()?,
            mean: words.next()?.parse().ok()?,
            over: words.next()?.parse().ok()?,
            rates: [0.0; TILES.len()],
        };
        for rate in &mut point.rates {
            *rate = words.next()?.parse().ok()?;
        }
        (words.next().is_none()).then_some(point)
    }
}

fn header() -> String {
    let names: Vec<&str> = TILES.iter().map(|(_, name)| *name).collect();
    format!("games,moves,seconds,mean_score,games_in_mean,{}\n", names.join(","))
}

/// The curve of a run, in memory and in its file. If a write fails, the next successful write adds
/// what is missing.
#[derive(Debug)]
pub(super) struct Curve {
    path: PathBuf,
    points: Vec<Point>,
    file: State,
}

/// The content of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    /// The first points, up to this number.
    Holds(usize),
    /// Outdated content, which is replaced as a whole.
    Behind,
    /// Unknown: the file could not be read, for this reason. It is not replaced.
    Unreadable(String),
}

impl Curve {
    /// Reads the curve up to a number of moves. Points after the checkpoint are dropped, because
    /// those games will be played again. The file is not written yet.
    pub(super) fn open(path: &Path, moves: u64) -> Outcome<Curve> {
        let foreign = || {
            let path = path.display();
            Failure::BadInput(format!(
                "{path} already exists and is not a learning curve; choose another folder"
            ))
        };
        let (text, file) = match fs::read_to_string(path) {
            Ok(text) => (text, State::Behind),
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound => (String::new(), State::Behind),
                io::ErrorKind::InvalidData => return Err(foreign()),
                _ => {
                    let why = format!("cannot read {}: {}", path.display(), in_words(&error));
                    (String::new(), State::Unreadable(why))
                }
            },
        };
        if !text.is_empty() && !text.starts_with(&header()) {
            return Err(foreign());
        }
        let points = text.lines().filter_map(Point::parse).filter(|point| point.moves <= moves).collect();
        Ok(Curve { path: path.to_owned(), points, file })
    }

    pub(super) fn points(&self) -> &[Point] {
        &self.points
    }

    /// Whether the points of earlier sessions are known.
    pub(super) fn is_known(&self) -> bool {
        !matches!(self.file, State::Unreadable(_))
    }

    /// Adds a point. It is written later.
    pub(super) fn add(&mut self, point: Point) {
        self.points.push(point);
    }

    /// Brings the file up to date: appends the missing lines or, if that fails, replaces the file.
    pub(super) fn write(&mut self) -> Result<(), String> {
        let lines = |points: &[Point]| points.iter().map(Point::line).collect::<String>();
        match &self.file {
            State::Unreadable(why) => return Err(why.clone()),
            State::Holds(known) if *known == self.points.len() => return Ok(()),
            State::Holds(known) => {
                let file = OpenOptions::new().append(true).open(&self.path);
                let missing = lines(&self.points[*known..]);
                if file.and_then(|mut file| file.write_all(missing.as_bytes())).is_ok() {
                    self.file = State::Holds(self.points.len());
                    return Ok(());
                }
            }
            State::Behind => {}
        }
        self.file = State::Behind;
        let text = format!("{}{}", header(), lines(&self.points));
        write_whole(&self.path, |out| out.write_all(text.as_bytes())).map_err(|error| error.to_string())?;
        self.file = State::Holds(self.points.len());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(moves: u64) -> Point {
        let games = [(300, 11), (100, 10), (200, 16)];
        let games = games.map(|(score, largest)| Finished { score, moves: 50, largest });
        Point::new(Progress { episodes: 9, games: 7, moves, seconds: 1.5 }, &games)
    }

    #[test]
    fn points_are_means_and_rates() {
        let point = point(10);
        assert_eq!((point.mean, point.over), (200.0, 3));
        assert_eq!(point.rates.map(|rate| (3.0 * rate).round() as u32), [2, 1, 1, 1, 1, 1]);
    }

    #[test]
    fn a_curve_is_read_again_up_to_the_checkpoint_and_without_a_torn_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("curve.csv");
        let mut curve = Curve::open(&path, 0).unwrap();
        for moves in [10, 20, 30] {
            curve.add(point(moves));
            curve.write().unwrap();
        }
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(b"9,25,1.5,2").unwrap();
        let mut again = Curve::open(&path, 25).unwrap();
        again.write().unwrap();
        assert_eq!(again.points().iter().map(|point| point.moves).collect::<Vec<_>>(), [10, 20]);
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 3);
        assert_eq!(text.lines().nth(1), Some("7,10,1.5,200.0,3,0.6667,0.3333,0.3333,0.3333,0.3333,0.3333"));
    }

    #[test]
    fn a_file_that_fell_behind_catches_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("curve.csv");
        let mut curve = Curve::open(&path, 0).unwrap();
        curve.add(point(10));
        curve.write().unwrap();
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        curve.add(point(20));
        assert!(curve.write().unwrap_err().starts_with("cannot write "));
        fs::remove_dir(&path).unwrap();
        curve.add(point(30));
        curve.write().unwrap();
        let again = Curve::open(&path, 30).unwrap();
        assert_eq!(again.points().iter().map(|point| point.moves).collect::<Vec<_>>(), [10, 20, 30]);
    }

    #[test]
    fn a_curve_that_cannot_be_read_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("curve.csv");
        fs::create_dir(&path).unwrap();
        let mut curve = Curve::open(&path, 0).unwrap();
        curve.add(point(10));
        fs::remove_dir(&path).unwrap();
        assert!(curve.write().is_err() && !curve.is_known() && !path.exists());
    }
}
