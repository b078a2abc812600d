//! The tree of `clairvoyant`, layer by layer.

use std::collections::HashSet;
use std::hash::BuildHasherDefault;

use super::super::share::BoardHasher;
use super::super::tree::{Step, TreeNode};
use crate::board::{Afterstate, Board, Direction};
use crate::game::{MoveValue, Probability, Situation, Spawn, SpawnSource, Stream};

/// A board in the tree.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) board: Board,
    pub(super) score: u64,
    /// The index of its parent in the layer above.
    parent: usize,
    /// The move that leads here.
    direction: Direction,
    /// The number of its children that the beam dropped.
    cut: usize,
}

/// The tree. The nodes of a layer are in the order of their parents. So the descendants of a node
/// form one contiguous range in every layer below it.
#[derive(Clone, Debug)]
pub(super) struct Layers {
    spawns: Spawns,
    /// The number of turns before the root.
    turns: u64,
    layers: Vec<Vec<Node>>,
    /// The number of boards generated since the last decision.
    pub(super) made: u64,
}

/// The subtree of a move from the root.
struct Branch<'a> {
    direction: Direction,
    /// Its leaves in the deepest layer of the tree.
    leaves: &'a [Node],
    /// Whether the beam dropped a node of the subtree.
    cut: bool,
    /// The number of moves until all its boards are stuck, including this move.
    turns: u32,
}

/// The value of a move whose best leaf in the deepest layer has the value `most`. Without such a
/// leaf the move loses after `turns` turns, unless the beam dropped something.
fn move_value(most: Option<f64>, cut: bool, turns: u32) -> MoveValue {
    match most {
        Some(most) => MoveValue::Worth(most),
        None if cut => MoveValue::Unknown,
        None => MoveValue::Lost { turns },
    }
}

/// The source of the spawns in the tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Spawns {
    /// The game.
    Known(SpawnSource),
    /// The random stream of the player.
    Drawn(Stream, Probability),
}

/// The purpose of the random stream of a blind tree: "blind" in ASCII.
const BLIND: u64 = 0x62_6c69_6e64;

impl Layers {
    /// A tree with only a root.
    pub(super) fn new(situation: &Situation<'_>, spawns: Spawns) -> Layers {
        // The root has no parent and no move. These fields are never read.
        let root = Node {
            board: situation.board.clone(),
            score: situation.score,
            parent: 0,
            direction: Direction::Up,
            cut: 0,
        };
        Layers { spawns, turns: situation.turns, layers: vec![vec![root]], made: 0 }
    }

    /// The number of moves from the root to the deepest layer.
    pub(super) fn depth(&self) -> usize {
        self.layers.len() - 1
    }

    /// The number of boards in the tree.
    pub(super) fn size(&self) -> usize {
        self.layers.iter().map(Vec::len).sum()
    }

    /// Whether the beam has dropped any node.
    pub(super) fn is_cut(&self) -> bool {
        self.layers.iter().flatten().any(|node| node.cut > 0)
    }

    /// The deepest layer.
    fn leaves(&self) -> &[Node] {
        self.layers.last().map_or(&[], Vec::as_slice)
    }

    /// The board after a move, `below` moves below the root.
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

    /// Adds a layer. Returns whether there was one to add.
    pub(super) fn grow(&mut self) -> bool {
        let below = self.depth();
        let mut layer = Vec::new();
        for parent in 0..self.leaves().len() {
            for direction in Direction::ALL {
                let Node { board, score, .. } = &self.leaves()[parent];
                let Some(slid) = board.slide(direction).ok().flatten() else { continue };
                let score = score.saturating_add(slid.reward);
                if let Some(board) = self.spawned(&slid.after, below) {
                    self.made += 1;
                    layer.push(Node { board, score, parent, direction, cut: 0 });
                }
            }
        }
        let grown = !layer.is_empty();
        if grown {
            self.layers.push(layer);
        }
        grown
    }

    /// Keeps the best leaves of the bottom layer, without duplicate boards, in their order.
    pub(super) fn prune(&mut self, beam: usize, value: impl Fn(&Node) -> f64) {
        let [.., above, leaves] = &mut self.layers[..] else { return };
        if leaves.len() <= beam {
            return;
        }
        let mut seen: HashSet<&Board, BuildHasherDefault<BoardHasher>> = HashSet::default();
        let fresh = leaves.iter().enumerate().filter(|(_, leaf)| seen.insert(&leaf.board));
        let mut ranked: Vec<(f64, usize)> = fresh.map(|(place, leaf)| (value(leaf), place)).collect();
        if ranked.len() > beam {
            // The best first, ties in their order.
            ranked.select_nth_unstable_by(beam, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            ranked.truncate(beam);
        }
        let mut kept = vec![false; leaves.len()];
        ranked.iter().for_each(|&(_, place)| kept[place] = true);
        let mut kept = kept.into_iter();
        leaves.retain(|leaf| {
            let keep = kept.next() == Some(true);
            above[leaf.parent].cut += usize::from(!keep);
            keep
        });
    }

    /// For each direction, the value of its best leaf in the deepest layer. A direction without
    /// such a leaf is lost, or unknown if the beam dropped something there.
    pub(super) fn best_leaves(&self, value: impl Fn(&Node) -> f64) -> [MoveValue; 4] {
        let root = &self.layers[0][0].board;
        let mut best = Direction::ALL.map(|direction| match root.slide(direction) {
            Ok(Some(_)) => MoveValue::Unknown,
            Ok(None) | Err(_) => MoveValue::Illegal,
        });
        for Branch { direction, leaves, cut, turns } in self.branches() {
            let most = leaves.iter().map(&value).reduce(f64::max);
            best[direction.index()] = move_value(most, cut, turns);
        }
        best
    }

    /// The subtrees of all moves from the root.
    fn branches(&self) -> impl Iterator<Item = Branch<'_>> {
        let moves = self.layers.get(1).map_or(&[][..], Vec::as_slice);
        moves.iter().enumerate().map(|(place, node)| {
            let (mut from, mut to) = (place, place + 1);
            let (mut cut, mut turns) = (node.cut > 0, 1);
            for layer in &self.layers[2..] {
                (from, to) = (first_child(layer, from), first_child(layer, to));
                cut |= layer[from..to].iter().any(|node| node.cut > 0);
                turns += u32::from(from < to);
            }
            Branch { direction: node.direction, leaves: &self.leaves()[from..to], cut, turns }
        })
    }

    /// The subtree of the position after a move. `None` if the situation is not such a position.
    pub(super) fn re_rooted(mut self, situation: &Situation<'_>, spawns: Spawns) -> Option<Layers> {
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

/// The index of the first node of a layer whose parent is at `place` or later.
fn first_child(layer: &[Node], place: usize) -> usize {
    layer.partition_point(|node| node.parent < place)
}

impl Layers {
    /// The nodes in layer order, with their values and the line to the best leaf.
    pub(super) fn drawn(&self, value: impl Fn(&Node) -> f64) -> Vec<TreeNode> {
        let deepest = self.depth();
        let mut values: Vec<Vec<Option<f64>>> =
            self.layers.iter().map(|layer| vec![None; layer.len()]).collect();
        values[deepest] = self.leaves().iter().map(|leaf| Some(value(leaf))).collect();
        let mut cut: Vec<Vec<bool>> =
            self.layers.iter().map(|layer| layer.iter().map(|node| node.cut > 0).collect()).collect();
        // The number of moves that can still be made from each node.
        let mut turns: Vec<Vec<u32>> = self.layers.iter().map(|layer| vec![0; layer.len()]).collect();
        for below in (1..=deepest).rev() {
            for (place, node) in self.layers[below].iter().enumerate() {
                let best =
                    values[below - 1][node.parent].into_iter().chain(values[below][place]).reduce(f64::max);
                values[below - 1][node.parent] = best;
                cut[below - 1][node.parent] |= cut[below][place];
                let further = turns[below][place] + 1;
                turns[below - 1][node.parent] = turns[below - 1][node.parent].max(further);
            }
        }
        let mut nodes: Vec<TreeNode> = Vec::new();
        let (mut start, mut way) = (0, Some(0));
        for (below, layer) in self.layers.iter().enumerate() {
            let above = start;
            start = nodes.len();
            // The line continues with the first of the best children, as the first of the best
            // leaves decides.
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
                    value: move_value(values[below][place], cut[below][place], turns[below][place] + 1),
                    best: way == Some(place),
                    left_out: node.cut,
                });
            }
        }
        nodes
    }

    /// The step to a node `below` moves below the root, with its reward and the spawned tile.
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
