//! The player `program` and the evaluator of the same name: evolved programs, read from files.

#[cfg(feature = "files")]
use std::path::Path;

use super::drawing::{Drawing, expectimax_tree};
use super::expectimax::{
    ADAPT, CUT, DEPTH_FROM_ONE, FOURS, NODES, TABLE, TIME, is_one_move, options, options_from_one,
};
use super::{AnyEvaluator, BuildError, Entry, EvaluatorEntry, Kind, Param, Settings};
use crate::board::{Board, Direction};
use crate::evolve::{
    DirectionsPlayer, Node, Program, ProgramEvaluator, RewardPlayer, Style, trace_evaluator,
};
use crate::game::{Action, Decision, Player, PlayerError, QuickPlayer, Situation};

const FILE: Param = Param {
    name: "file",
    default: None,
    kind: Kind::File,
    unit: None,
    help: "program file, as written by evolve",
};

const LOST: Param = Param {
    name: "lost",
    default: Some("100000"),
    kind: Kind::Number(0.0, 1e9),
    unit: None,
    help: "penalty subtracted from the value of a lost board, in the program's unit; used only at depth 2 or more",
};

const PARAMS: &[Param] = &[FILE, DEPTH_FROM_ONE, NODES, TIME, ADAPT, CUT, FOURS, TABLE, LOST];

pub(super) fn entries() -> Vec<Entry> {
    vec![Entry {
        // Without limits a program only looks at the next move.
        drawing: Some(Drawing {
            depth: 1,
            own_search: true,
            tree: |settings, game, view| {
                expectimax_tree(read_evaluator(settings)?, options(settings)?, game, view)
            },
        }),
        ..Entry::new(
            "program",
            "plays the direction that an evolved program returns, or uses the program as the evaluator of expectimax",
            PARAMS,
            build,
        )
    }]
}

pub(super) fn evaluator_entries() -> Vec<EvaluatorEntry> {
    vec![EvaluatorEntry {
        name: "program",
        summary: "an evolved program that evaluates afterstates",
        params: &[FILE, LOST],
        build: read_evaluator,
    }]
}

#[cfg(not(feature = "files"))]
fn read(_: &Settings) -> Result<Program, BuildError> {
    Err(BuildError::impossible(super::NO_FILES))
}

#[cfg(feature = "files")]
fn read(settings: &Settings) -> Result<Program, BuildError> {
    Ok(Program::read(Path::new(settings.text(FILE.name)))?)
}

/// The evaluator of the program in a spec.
pub(super) fn read_evaluator(settings: &Settings) -> Result<AnyEvaluator, BuildError> {
    evaluator(read(settings)?, settings)
}

fn evaluator(program: Program, settings: &Settings) -> Result<AnyEvaluator, BuildError> {
    compiled(program, settings).map(AnyEvaluator::fast)
}

fn compiled(program: Program, settings: &Settings) -> Result<ProgramEvaluator, BuildError> {
    let words = match program.style() {
        Style::Directions(_) => "this program returns directions and cannot evaluate boards",
        Style::Evaluator => {
            "this program reads the reward of the move, which a search does not know; use it as program:file=FILE"
        }
    };
    let evaluator = ProgramEvaluator::new(program, settings.number(LOST.name));
    evaluator.ok_or_else(|| BuildError::impossible(words))
}

/// A player with an evaluator program that can explain its last choice.
struct Explained {
    player: Box<dyn Player>,
    program: Program,
    /// The board and the move of the last choice.
    last: Option<(Board, Direction)>,
}

impl Player for Explained {
    fn inner(&self) -> Option<&dyn Player> {
        Some(&*self.player)
    }

    fn inner_mut(&mut self) -> Option<&mut dyn Player> {
        Some(&mut *self.player)
    }

    fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
        let decision = self.player.choose(situation)?;
        self.last = match decision.action {
            Action::Move(direction) => Some((situation.board.clone(), direction)),
            _ => None,
        };
        Ok(decision)
    }

    /// Quick choices are not explained.
    fn quick(&mut self) -> Option<&mut dyn QuickPlayer> {
        self.last = None;
        self.player.quick()
    }

    /// The features that the program read after the move, each once. Below `lines` it is the sum
    /// over all rows and columns.
    fn remark(&self) -> Option<String> {
        let (board, direction) = self.last.as_ref()?;
        let (value, values) = trace_evaluator(&self.program, board, *direction)?;
        let mut seen: Vec<(String, f64)> = Vec::new();
        for (tree, values) in self.program.trees().iter().zip(values) {
            for (node, value) in tree.nodes().iter().zip(values) {
                let name = node.name();
                if let (Node::Feature(_) | Node::Cell(_), Some(value)) = (node, value)
                    && seen.iter().all(|(known, _)| *known != name)
                {
                    seen.push((name, value));
                }
            }
        }
        let seen: Vec<String> = seen.iter().map(|(name, value)| format!("{name} {value:.0}")).collect();
        Some(format!("the program saw after {direction}: {}; its value {value:.1}", seen.join(", ")))
    }
}

fn build(settings: &Settings) -> Result<Box<dyn Player>, BuildError> {
    let program = read(settings)?;
    if matches!(program.style(), Style::Directions(_)) {
        return unexplained(program, settings);
    }
    Ok(Box::new(Explained { player: unexplained(program.clone(), settings)?, program, last: None }))
}

fn unexplained(program: Program, settings: &Settings) -> Result<Box<dyn Player>, BuildError> {
    if let Some(player) = DirectionsPlayer::new(&program) {
        if !options(settings)?.is_unlimited() {
            return Err(BuildError::impossible("this program returns directions and cannot search ahead"));
        }
        return Ok(Box::new(player));
    }
    let options = options_from_one(settings)?;
    if is_one_move(&options) {
        if program.reads_reward() {
            return Ok(Box::new(RewardPlayer::new(program)));
        }
        return Ok(AnyEvaluator::fast(compiled(program, settings)?.as_evolved()).expectimax(options)?);
    }
    Ok(evaluator(program, settings)?.expectimax(options)?)
}

#[cfg(feature = "files")]
#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::atomic::AtomicBool;

    use crate::arena::{GameLimits, play_game};
    use crate::evolve::play_many;
    use crate::game::{Future, Game, Rules, Situation};
    use crate::players::Registry;

    /// The score of a game with this program in the file, played by a spec that contains `FILE`.
    fn score(program: &str, spec: &str, seed: u64) -> Result<u64, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("best.gp");
        fs::write(&path, program).unwrap();
        let registry = Registry::built_in();
        let spec = spec.replace("FILE", &path.display().to_string());
        let mut player =
            registry.build(&registry.parse(&spec).unwrap()).map_err(|error| error.to_string())?;
        let mut game = Game::new(Rules::default(), seed);
        Ok(play_game(&mut game, &mut player, &GameLimits::default()).unwrap().result.score)
    }

    #[test]
    fn the_player_plays_the_games_of_the_evolution() {
        for program in [
            "(directions (move (max (min left right) (random up down))))",
            "(evaluator (value (subtract empty (lines mono))))",
            "(evaluator (value (lines (divide (add merge-ranks (square empty)) (add 0.3 (root mono2))))))",
            "(evaluator (value (add reward (multiply 3 empty))))",
            "(evaluator (value (add corner (multiply 3 empty))))",
        ] {
            for seed in 7..12 {
                let (parsed, seeds) = (program.parse().unwrap(), seed..seed + 1);
                let games = play_many(&parsed, seeds, 1, &AtomicBool::new(false)).unwrap();
                let expected = games[0].score;
                assert_eq!(score(program, "program:file=FILE", seed), Ok(expected), "{program}");
            }
        }
    }

    #[test]
    fn players_name_their_program() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("best.gp");
        let registry = Registry::built_in();
        let hash = |program: &str, options: &str| {
            fs::write(&path, program).unwrap();
            let spec = format!("program:file={}{options}", path.display());
            let player = registry.build(&registry.parse(&spec).unwrap()).unwrap();
            player.facts().fingerprint.on(Game::new(Rules::default(), 1).board()).unwrap()
        };
        let (empty, reward, up) =
            ("(evaluator (value empty))", "(evaluator (value reward))", "(directions (move up))");
        // printf '(evaluator\n  (value\n    empty))\n' | sha256sum
        let known = "50529f8d";
        assert_eq!(hash(empty, "")[..8], *known);
        assert_eq!(hash("(evaluator ; as before\n (value empty))", ""), hash(empty, ",depth=2"));
        assert!(hash(empty, "") != hash(reward, "") && hash(reward, "") != hash(up, ""));
    }

    /// A quick choice has no remark, and clears that of an earlier choice.
    #[test]
    fn an_evaluator_that_looks_one_move_ahead_is_quick() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("best.gp");
        fs::write(&path, "(evaluator (value empty))").unwrap();
        let registry = Registry::built_in();
        let build = |options: &str| {
            let spec = format!("program:file={}{options}", path.display());
            registry.build(&registry.parse(&spec).unwrap()).unwrap()
        };
        let mut player = build("");
        let game = Game::new(Rules::default(), 1);
        player.choose(&Situation::of(&game, &player, Future::Told)).unwrap();
        assert!(player.remark().is_some());
        assert!(player.quick().is_some());
        assert_eq!(player.remark(), None);
        assert!(build(",depth=2").quick().is_none());
    }

    #[test]
    fn an_evaluator_says_what_it_saw() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("best.gp");
        fs::write(&path, "(evaluator (value (add (multiply 2 empty) (add largest (lines empty)))))").unwrap();
        let registry = Registry::built_in();
        let spec = format!("program:file={}", path.display());
        let mut player = registry.build(&registry.parse(&spec).unwrap()).unwrap();
        assert_eq!(player.remark(), None);
        // 2 2 . .    left and right merge them into a 4: 15 empty cells, each in a row and a
        // column, and a largest rank of 2
        let board = "2 2 0 0/0 0 0 0/0 0 0 0/0 0 0 0".parse().unwrap();
        let game = Game::from_board(Rules::default(), 1, board);
        player.choose(&Situation::of(&game, &player, Future::Told)).unwrap();
        let says = "the program saw after right: empty 15, largest 2; its value 62.0";
        assert_eq!(player.remark().as_deref(), Some(says));
    }

    #[test]
    fn an_evaluator_can_be_searched_with() {
        let program = "(evaluator (value (subtract empty (lines mono))))";
        let deep = score(program, "program:file=FILE,depth=2", 7).unwrap();
        assert_eq!(score(program, "expectimax:eval=program,file=FILE,depth=2", 7), Ok(deep));
        assert_ne!(score(program, "program:file=FILE", 7), Ok(deep));
    }

    #[test]
    fn what_cannot_be_used_is_refused_in_one_sentence() {
        let refusal = |program: &str, spec: &str| score(program, spec, 1).unwrap_err();
        let directions = "(directions (move up))";
        assert!(refusal(directions, "program:file=FILE,depth=2").contains("cannot search ahead"));
        assert!(refusal(directions, "expectimax:eval=program,file=FILE").contains("cannot evaluate boards"));
        assert!(
            refusal("(evaluator (value reward))", "program:file=FILE,depth=2").contains("reward of the move")
        );
        assert!(refusal("(up)", "program:file=FILE").ends_with("not 'up'"));
        let reward = "(evaluator (value reward))";
        assert_eq!(score(reward, "program:file=FILE,depth=1", 3), score(reward, "program:file=FILE", 3));
    }
}
