//! The learning curve: a log that grows by lines, and tolerates a torn last one.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use lab2048::files::write_whole;
use lab2048::learn::{Finished, Progress};

use crate::failure::{Failure, Outcome};

/// The tiles whose rates are kept, with their names in the file.
pub(super) const TILES: [(u8, &str); 6] =
    [(11, "2048"), (12, "4096"), (13, "8192"), (14, "16384"), (15, "32768"), (16, "65536")];

/// One point: the games since the point before.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Point {
    pub(super) games: u64,
    pub(super) moves: u64,
    pub(super) seconds: f64,
    pub(super) mean: f64,
    /// How many games the mean is over.
    pub(super) over: u64,
    /// The share of those games that made each of [`TILES`].
    pub(super) rates: [f64; TILES.len()],
}

impl Point {
    /// The point that these games, which are at least one, make up.
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

/// The curve of a run, in memory and in its file.
#[derive(Debug)]
pub(super) struct Curve {
    path: PathBuf,
    points: Vec<Point>,
}

impl Curve {
    /// The curve in a file up to a number of moves: what lies beyond the checkpoint that a run goes on from will be played
    /// again, and is dropped.
    pub(super) fn open(path: &Path, moves: u64) -> Outcome<Curve> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(Failure::BadInput(format!("cannot read {}: {error}", path.display()))),
        };
        if !text.is_empty() && !text.starts_with(&header()) {
            let path = path.display();
            return Err(Failure::BadInput(format!(
                "{path} is there already and is not a learning curve; choose another folder"
            )));
        }
        let points: Vec<Point> =
            text.lines().filter_map(Point::parse).filter(|point| point.moves <= moves).collect();
        let lines: String = points.iter().map(Point::line).collect();
        write_whole(path, |out| out.write_all(format!("{}{lines}", header()).as_bytes()))
            .map_err(Failure::failed)?;
        Ok(Curve { path: path.to_owned(), points })
    }

    pub(super) fn points(&self) -> &[Point] {
        &self.points
    }

    /// Adds a point to the curve and a line to the file.
    pub(super) fn add(&mut self, point: Point) -> Outcome<()> {
        let file = OpenOptions::new().append(true).open(&self.path);
        file.and_then(|mut file| file.write_all(point.line().as_bytes()))
            .map_err(|error| Failure::Failed(format!("cannot write {}: {error}", self.path.display())))?;
        self.points.push(point);
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
        [10, 20, 30].iter().for_each(|&moves| curve.add(point(moves)).unwrap());
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(b"9,25,1.5,2").unwrap();
        let again = Curve::open(&path, 25).unwrap();
        assert_eq!(again.points().iter().map(|point| point.moves).collect::<Vec<_>>(), [10, 20]);
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 3);
        assert_eq!(text.lines().nth(1), Some("7,10,1.5,200.0,3,0.6667,0.3333,0.3333,0.3333,0.3333,0.3333"));
    }
}
