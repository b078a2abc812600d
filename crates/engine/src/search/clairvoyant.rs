//! The player `clairvoyant` of the fifth source document: a tree of moves in which every node knows the coming spawn.
//!
//! The tree holds every sequence of moves up to a depth, layer by layer. The best leaf of the bottom layer decides (of the
//! deepest layer that is reached, if none gets to the bottom), and the first move on the way to it is played. After a
//! move the tree is re-rooted: what belongs to the other moves is dropped and one layer is added. That saves what building
//! it anew costs, which [`ClairvoyantOptions::rebuild`] shows: the nodes of a decision are the boards made for it.
//!
//! Blind, every node draws spawns of its own, which is the first version in the document: it shows what knowing is worth.
//! With a beam only the best leaves of each layer are kept, so that the tree can be deep instead of wide.

use std::collections::HashSet;
use std::hash::BuildHasherDefault;
use std::sync::Arc;

use super::share::BoardHasher;
use super::tree::{Step, Tree, TreeNode};
use super::walk::worth;
use crate::board::{Afterstate, Board, Direction};
use crate::eval::Evaluator;
use crate::game::{
    Cannot, Decision, GameStart, Player, PlayerError, Probability, Situation, Spawn, SpawnSource, Stream,
};

/// How the tree is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClairvoyantOptions {
    /// The moves looked ahead.
    pub depth: u32,
    /// Whether the tree is built anew for every move.
    pub rebuild: bool,
    /// Whether every node draws its own spawns instead of knowing the real ones.
    pub blind: bool,
    /// How many leaves of a layer are kept, the best ones, each board once; all, if not given.
    pub beam: Option<usize>,
}

impl ClairvoyantOptions {
    /// A tree that knows the future, re-rooted, without a beam.
    pub fn with_depth(depth: u32) -> ClairvoyantOptions {
        ClairvoyantOptions { depth, rebuild: false, blind: false, beam: None }
    }
}

/// The player `clairvoyant`.
pub struct Clairvoyant {
    evaluator: Arc<dyn Evaluator>,
    options: ClairvoyantOptions,
    tree: Option<Layers>,
}

/// A board in the tree.
#[derive(Clone, Debug)]
struct Node {
    board: Board,
    score: u64,
    /// The place of the board before, in the layer above.
    parent: usize,
    /// The move that led here.
    direction: Direction,
}

/// The tree: the children of a node lie side by side in the next layer, and the nodes of a layer lie in the order of
/// their parents. So what descends from a node is one piece of every layer below it.
#[derive(Clone, Debug)]
struct Layers {
    spawns: Spawns,
    /// The turns played before the root.
    turns: u64,
    layers: Vec<Vec<Node>>,
    /// The boards made since the last decision.
    made: u64,
}

/// Where the spawns in the tree come from.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Spawns {
    /// From the game.
    Known(SpawnSource),
    /// From the player's own luck.
    Drawn(Stream, Probability),
}

/// The purpose of the stream that a blind tree draws from: "blind" in ASCII.
const BLIND: u64 = 0x62_6c69_6e64;

impl Layers {
    /// A tree that has only a root.
    fn new(situation: &Situation<'_>, spawns: Spawns) -> Layers {
        // The root has no parent and no move before it; nobody asks for them.
        let root = Node {
            board: situation.board.clone(),
            score: situation.score,
            parent: 0,
            direction: Direction::Up,
        };
        Layers { spawns, turns: situation.turns, layers: vec![vec![root]], made: 0 }
    }

    /// The moves from the root to the deepest layer.
    fn depth(&self) -> usize {
        self.layers.len() - 1
    }

    /// The deepest layer.
    fn leaves(&self) -> &[Node] {
        self.layers.last().map_or(&[], Vec::as_slice)
    }

    /// The board after a move, in a node so many moves below the root.
    fn spawned(&self, after: &Afterstate, below: usize) -> Option<Board> {
        match self.spawns {
            Spawns::Known(source) => {
                let number = self.turns + below as u64 + SpawnSource::AFTER_FIRST_MOVE;
                source.apply(number, after).map(|(board, _)| board)
            }
            Spawns::Drawn(luck, four) => {
                let stream = Stream::with_purpose(luck.draw(self.turns), BLIND);
                let cell = after.nth_empty(stream.below(2 * self.made, after.empty_count()))?;
                let tile = if stream.unit(2 * self.made + 1) < four.get() { 4 } else { 2 };
                after.spawn(cell, tile).ok()
            }
        }
    }

    /// Adds a layer; says whether there is one to add.
    fn grow(&mut self) -> bool {
        let below = self.depth();
        let mut layer = Vec::new();
        for parent in 0..self.leaves().len() {
            for direction in Direction::ALL {
                let Node { board, score, .. } = &self.leaves()[parent];
                let Some(slid) = board.slide(direction).ok().flatten() else { continue };
                let score = score.saturating_add(slid.reward);
                if let Some(board) = self.spawned(&slid.after, below) {
                    self.made += 1;
                    layer.push(Node { board, score, parent, direction });
                }
            }
        }
        let grown = !layer.is_empty();
        if grown {
            self.layers.push(layer);
        }
        grown
    }

    /// Keeps the best leaves of the bottom layer, each board once, in their order.
    fn prune(&mut self, beam: usize, value: impl Fn(&Node) -> f64) {
        let Some(leaves) = self.layers.last_mut().filter(|leaves| leaves.len() > beam) else { return };
        let mut seen: HashSet<&Board, BuildHasherDefault<BoardHasher>> = HashSet::default();
        let fresh = leaves.iter().enumerate().filter(|(_, leaf)| seen.insert(&leaf.board));
        let mut ranked: Vec<(f64, usize)> = fresh.map(|(place, leaf)| (value(leaf), place)).collect();
        if ranked.len() > beam {
            // The best first, equal ones in their order.
            ranked.select_nth_unstable_by(beam, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            ranked.truncate(beam);
        }
        let mut kept = vec![false; leaves.len()];
        ranked.iter().for_each(|&(_, place)| kept[place] = true);
        let mut kept = kept.into_iter();
        leaves.retain(|_| kept.next() == Some(true));
    }

    /// For each direction the value of the best leaf of the deepest layer that it leads to.
    fn best_leaves(&self, value: impl Fn(&Node) -> f64) -> [Option<f64>; 4] {
        let mut best = [None; 4];
        for (direction, leaves) in self.branches() {
            best[direction.index()] = leaves.iter().map(&value).reduce(f64::max);
        }
        best
    }

    /// The leaves of the deepest layer below each move from the root.
    fn branches(&self) -> impl Iterator<Item = (Direction, &[Node])> {
        let moves = self.layers.get(1).map_or(&[][..], Vec::as_slice);
        moves.iter().enumerate().map(|(place, node)| {
            let (mut from, mut to) = (place, place + 1);
            for layer in &self.layers[2..] {
                (from, to) = (first_child(layer, from), first_child(layer, to));
            }
            (node.direction, &self.leaves()[from..to])
        })
    }

    /// The same tree after a move, if this is the position after one: the rest is dropped.
    fn re_rooted(mut self, situation: &Situation<'_>, spawns: Spawns) -> Option<Layers> {
        let next = |node: &Node| node.board == *situation.board && node.score == situation.score;
        if self.spawns != spawns || self.turns + 1 != situation.turns {
            return None;
        }
        let place = self.layers.get(1)?.iter().position(next)?;
        let (mut from, mut to) = (place, place + 1);
        for below in 1..self.layers.len() {
            let range = if below == 1 {
                from..to
            } else {
                first_child(&self.layers[below], from)..first_child(&self.layers[below], to)
            };
            let layer = &mut self.layers[below];
            layer.truncate(range.end);
            layer.drain(..range.start);
            layer.iter_mut().for_each(|node| node.parent = node.parent.saturating_sub(from));
            (from, to) = (range.start, range.end);
        }
        self.layers.remove(0);
        while self.layers.len() > 1 && self.leaves().is_empty() {
            self.layers.pop();
        }
        Some(Layers { turns: situation.turns, made: 0, ..self })
    }
}

/// The place of the first node of a layer whose parent is at `place` or after it.
fn first_child(layer: &[Node], place: usize) -> usize {
    layer.partition_point(|node| node.parent < place)
}

impl Clairvoyant {
    /// The player with an evaluator; the document's is [`Product`](crate::eval::Product).
    pub fn new(evaluator: Arc<dyn Evaluator>, options: ClairvoyantOptions) -> Clairvoyant {
        Clairvoyant { evaluator, options, tree: None }
    }

    /// The value of a leaf.
    fn value(evaluator: &dyn Evaluator, node: &Node, root_score: u64) -> f64 {
        let value = worth(evaluator, &node.board, node.score, root_score);
        if value.is_nan() { f64::MIN } else { value }
    }

    /// The tree of a situation, grown to the full depth.
    fn grown(&mut self, situation: &Situation<'_>) -> Result<Layers, PlayerError> {
        let spawns = match (self.options.blind, situation.future) {
            (true, _) => Spawns::Drawn(situation.luck, situation.four),
            (false, Some(source)) => Spawns::Known(source),
            (false, None) => return Err(PlayerError(NOT_TOLD.to_owned())),
        };
        let kept = self.tree.take().filter(|_| !self.options.rebuild);
        let mut tree = kept
            .and_then(|tree| tree.re_rooted(situation, spawns))
            .unwrap_or_else(|| Layers::new(situation, spawns));
        let depth = self.options.depth.max(1) as usize;
        while tree.depth() < depth && tree.grow() {
            if let Some(beam) = self.options.beam {
                tree.prune(beam.max(1), |node| Self::value(&*self.evaluator, node, situation.score));
            }
        }
        Ok(tree)
    }
}

impl Clairvoyant {
    /// The whole tree as it can be drawn. A node is worth what the best leaf of the bottom layer below it is worth; one
    /// from which the bottom is not reached has no value.
    pub fn tree(&mut self, situation: &Situation<'_>) -> Result<Tree, PlayerError> {
        let layers = self.grown(situation)?;
        let value = |node: &Node| Self::value(&*self.evaluator, node, situation.score);
        let tree = Tree { nodes: layers.drawn(value), unit: self.evaluator.unit() };
        self.tree = Some(layers);
        Ok(tree)
    }
}

impl Layers {
    /// The nodes in the order of the layers, with their values and the way to the best leaf.
    fn drawn(&self, value: impl Fn(&Node) -> f64) -> Vec<TreeNode> {
        let deepest = self.depth();
        let mut values: Vec<Vec<Option<f64>>> =
            self.layers.iter().map(|layer| vec![None; layer.len()]).collect();
        values[deepest] = self.leaves().iter().map(|leaf| Some(value(leaf))).collect();
        for below in (1..=deepest).rev() {
            for (place, node) in self.layers[below].iter().enumerate() {
                let best =
                    values[below - 1][node.parent].into_iter().chain(values[below][place]).reduce(f64::max);
                values[below - 1][node.parent] = best;
            }
        }
        let mut nodes: Vec<TreeNode> = Vec::new();
        let (mut start, mut way) = (0, Some(0));
        for (below, layer) in self.layers.iter().enumerate() {
            let above = start;
            start = nodes.len();
            // The first of the best children goes on with the way, as the first of the best leaves decides.
            let next = |(place, node): &(usize, &Node)| {
                Some(node.parent) == way && values[below][*place] == values[below - 1][node.parent]
            };
            way = if below == 0 {
                Some(0)
            } else {
                layer.iter().enumerate().find(next).map(|(place, _)| place)
            };
            for (place, node) in layer.iter().enumerate() {
                let parent = (below > 0).then_some(above + node.parent);
                nodes.push(TreeNode {
                    parent,
                    step: if below == 0 { Step::Root } else { self.step(node, below) },
                    tiles: node.board.to_grid(),
                    value: values[below][place],
                    best: way == Some(place),
                    left_out: 0,
                });
            }
        }
        nodes
    }

    /// The move to a node so many moves below the root, with its reward and the tile that appeared.
    fn step(&self, node: &Node, below: usize) -> Step {
        let parent = &self.layers[below - 1][node.parent];
        let slid = parent.board.slide(node.direction).ok().flatten();
        let known = slid.and_then(|slid| {
            let cell = slid.after.empty_cells().find(|&cell| node.board.tile(cell) != 0)?;
            Some(Spawn { cell, tile: node.board.tile(cell) })
        });
        Step::Move { direction: node.direction, reward: node.score.saturating_sub(parent.score), known }
    }
}

const NOT_TOLD: &str = "clairvoyant must be told the coming tiles, and they are not known here; clairvoyant:blind=true does without";

impl Player for Clairvoyant {
    fn start(&mut self, game: &GameStart<'_>) -> Result<(), Cannot> {
        self.tree = None;
        if !game.knows_future && !self.options.blind {
            return Err(Cannot(NOT_TOLD.to_owned()));
        }
        self.evaluator.accepts(game.board.size())
    }

    fn choose(&mut self, situation: &Situation<'_>) -> Result<Decision, PlayerError> {
        let tree = self.grown(situation)?;
        let values = tree.best_leaves(|node| Self::value(&*self.evaluator, node, situation.score));
        let decision = Decision::best_of(values, self.evaluator.unit(), tree.depth() as u32, tree.made);
        self.tree = Some(tree);
        decision.ok_or_else(|| PlayerError("there is no move to choose".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::parse_board;
    use crate::eval::testing::STARTS;
    use crate::eval::{Product, View, Weighted};
    use crate::game::{Action, Game, Rules};

    /// All sequences of moves, played out in the game itself: for each first move the deepest turn that can be reached
    /// within the depth, and the best value there.
    fn played_out(game: &Game, value: &dyn Fn(&Game) -> f64, depth: u32) -> [Option<(u32, f64)>; 4] {
        Direction::ALL.map(|direction| {
            let mut game = game.clone();
            game.play(Action::Move(direction)).ok()?;
            let deeper = match depth {
                1 => None,
                _ => played_out(&game, value, depth - 1).into_iter().flatten().reduce(best_of_two),
            };
            Some(deeper.map_or((1, value(&game)), |(turns, value)| (turns + 1, value)))
        })
    }

    /// The deeper one, among equally deep ones the better.
    fn best_of_two(a: (u32, f64), b: (u32, f64)) -> (u32, f64) {
        if (b.0, b.1) > (a.0, a.1) { b } else { a }
    }

    fn product(game: &Game) -> f64 {
        Product.evaluate(&View::of_board(game.board(), game.score()))
    }

    fn player(options: ClairvoyantOptions) -> Clairvoyant {
        Clairvoyant::new(Arc::new(Product), options)
    }

    /// Plays a game up to its end or so many turns and shows every decision.
    fn play(
        start: &str,
        seed: u64,
        turns: u64,
        player: &mut Clairvoyant,
        mut seen: impl FnMut(&Game, &Decision),
    ) -> Game {
        let mut game = Game::from_board(Rules::default(), seed, parse_board(start, None).unwrap());
        player.start(&GameStart { rules: game.rules(), board: game.board(), knows_future: true }).unwrap();
        while game.ending().is_none() && game.turns() < turns {
            let decision = player.choose(&Situation::of(&game)).unwrap();
            seen(&game, &decision);
            game.play(decision.action).unwrap();
        }
        game
    }

    #[test]
    fn the_best_leaf_is_that_of_all_games_played_out() {
        for (start, depth) in [(STARTS[0], 3), (STARTS[1], 4), (STARTS[2], 3), (STARTS[3], 2), ("2 0/0 4", 5)]
        {
            for rebuild in [false, true] {
                let options = ClairvoyantOptions { rebuild, ..ClairvoyantOptions::with_depth(depth) };
                let end = play(start, 3, 120, &mut player(options), |game, decision| {
                    let slow = played_out(game, &product, depth);
                    let reached = slow.into_iter().flatten().map(|(turns, _)| turns).max().unwrap();
                    let values = slow.map(|leaf| leaf.filter(|leaf| leaf.0 == reached).map(|leaf| leaf.1));
                    assert_eq!((decision.values, decision.depth), (values, reached), "{:?}", game.board());
                });
                assert!(end.turns() == 120 || end.ending().is_some());
            }
        }
    }

    #[test]
    fn re_rooting_makes_fewer_boards_and_the_same_moves() {
        let mut rebuilt = Vec::new();
        let options = ClairvoyantOptions::with_depth(4);
        play(
            STARTS[0],
            5,
            200,
            &mut player(ClairvoyantOptions { rebuild: true, ..options }),
            |_, decision| {
                rebuilt.push(*decision);
            },
        );
        let (mut turn, mut nodes) = (0, [0, 0]);
        play(STARTS[0], 5, 200, &mut player(options), |_, decision| {
            assert_eq!(Decision { nodes: 0, ..*decision }, Decision { nodes: 0, ..rebuilt[turn] });
            nodes = [nodes[0] + decision.nodes, nodes[1] + rebuilt[turn].nodes];
            turn += 1;
        });
        assert!(turn == 200 && nodes[0] * 10 < nodes[1] * 8, "{nodes:?}");
    }

    #[test]
    fn a_tree_of_another_position_is_not_used() {
        let mut player = player(ClairvoyantOptions::with_depth(3));
        let game = Game::new(Rules::default(), 1);
        let first = player.choose(&Situation::of(&game)).unwrap();
        assert_eq!(player.choose(&Situation::of(&game)).unwrap(), first, "asked twice");
        // The same board and the same number of turns with other spawns to come.
        let mut game = Game::from_board(Rules::default(), 2, game.board().clone());
        game.play(first.action).unwrap();
        let fresh =
            Clairvoyant::new(Arc::new(Product), player.options).choose(&Situation::of(&game)).unwrap();
        assert_eq!(player.choose(&Situation::of(&game)).unwrap(), fresh);
    }

    #[test]
    fn a_beam_as_wide_as_the_tree_changes_nothing_and_a_narrow_one_keeps_its_width() {
        let wide = ClairvoyantOptions { beam: Some(4usize.pow(4)), ..ClairvoyantOptions::with_depth(4) };
        let mut decisions = Vec::new();
        play(STARTS[0], 7, 60, &mut player(ClairvoyantOptions::with_depth(4)), |_, decision| {
            decisions.push(*decision)
        });
        let mut turn = 0;
        play(STARTS[0], 7, 60, &mut player(wide), |_, decision| {
            assert_eq!(*decision, decisions[turn]);
            turn += 1;
        });
        let narrow =
            ClairvoyantOptions { beam: Some(10), rebuild: true, ..ClairvoyantOptions::with_depth(12) };
        play(STARTS[0], 7, 60, &mut player(narrow), |_, decision| {
            assert!(decision.depth == 12 && decision.nodes <= 4 + 16 + 10 * 40, "{decision:?}");
        });
    }

    #[test]
    fn a_beam_of_one_follows_the_best_board() {
        let options = ClairvoyantOptions { beam: Some(1), ..ClairvoyantOptions::with_depth(1) };
        play(STARTS[0], 9, 100, &mut player(options), |game, decision| {
            let values = played_out(game, &product, 1).map(|leaf| leaf.map(|leaf| leaf.1));
            let best = Decision::best_of(values, decision.unit, 1, 0).unwrap();
            assert_eq!(decision.action, best.action);
        });
    }

    #[test]
    fn who_is_not_told_the_future_is_refused_unless_blind() {
        let game = Game::new(Rules::default(), 1);
        let untold = GameStart { rules: game.rules(), board: game.board(), knows_future: false };
        let options = ClairvoyantOptions::with_depth(2);
        let refusal = player(options).start(&untold).unwrap_err();
        assert!(refusal.to_string().contains("coming tiles"));
        let situation = Situation { future: None, ..Situation::of(&game) };
        assert!(player(options).choose(&situation).is_err());
        let blind = ClairvoyantOptions { blind: true, ..options };
        assert!(player(blind).start(&untold).is_ok());
        assert!(player(blind).choose(&situation).is_ok());
    }

    #[test]
    fn blind_trees_depend_on_luck_alone() {
        let blind = ClairvoyantOptions { blind: true, ..ClairvoyantOptions::with_depth(3) };
        let mut told = Vec::new();
        play(STARTS[0], 11, 100, &mut player(blind), |_, decision| told.push(*decision));
        let mut turn = 0;
        let mut untold = player(blind);
        play(STARTS[0], 11, 100, &mut player(blind), |game, decision| {
            let situation = Situation { future: None, ..Situation::of(game) };
            assert_eq!(untold.choose(&situation).unwrap(), *decision);
            assert_eq!(*decision, told[turn], "the same every time");
            turn += 1;
        });
        let mut differs = false;
        play(STARTS[0], 11, 100, &mut player(blind), |game, decision| {
            let values = played_out(game, &product, 3).map(|leaf| leaf.map(|leaf| leaf.1));
            differs |= decision.values != values;
        });
        assert!(differs, "a blind tree is not the real future");
    }

    #[test]
    fn any_size_and_any_tiles_are_played() {
        for start in [STARTS[3], STARTS[4], "2 0 0 0 0 0 0 0/0 0 0 0 0 0 0 4"] {
            let mut player =
                Clairvoyant::new(Arc::new(Weighted::default()), ClairvoyantOptions::with_depth(2));
            let end = play(start, 1, 50, &mut player, |_, _| ());
            assert!(end.turns() == 50 || end.ending().is_some());
        }
    }
}
