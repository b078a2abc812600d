//! A search tree as a value for drawing: boards, moves, spawns, values and the chosen line.
//!
//! A tree with known spawns is drawn completely. In a tree with chance nodes every afterstate has
//! dozens of spawns. Only the most important branches are drawn, and each node says how many are
//! left out.

use crate::board::{Board, Direction, Grid};
use crate::game::{
    Action, ChanceOutcome, Decision, MoveValue, PlayerError, Probability, Spawn, Unit, outcomes,
};

/// The maximal number of nodes of a drawn tree. A larger picture is unreadable.
const MOST_NODES: usize = 5_000;

/// Rejects a tree that is too large to draw.
pub(super) fn check_size(nodes: usize) -> Result<(), PlayerError> {
    if nodes <= MOST_NODES {
        return Ok(());
    }
    let what = format!("the tree has too many boards for a picture (more than {MOST_NODES})");
    Err(PlayerError::new(format!("{what}: use a smaller depth, fewer branches or a beam")))
}

/// A search tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    /// The nodes. Each node comes after its parent, and children are in drawing order.
    pub nodes: Vec<TreeNode>,
    /// The meaning of the values.
    pub unit: Unit,
    /// The depth of the search from the root.
    pub depth: u32,
    /// How many of these moves the tree shows.
    pub drawn: u32,
    /// Whether the search knows the coming spawns.
    pub needs_future: bool,
}

/// The parameters of a drawn tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeView {
    /// The depth of the search.
    pub depth: u32,
    /// How many of these moves are drawn, at least one. The values are those of the whole search.
    pub drawn: u32,
    /// The number of branches drawn for each node of a tree with chance, the most important ones.
    pub top: usize,
    /// The move that the player chose, if known. A faster search than the drawn one rounds
    /// differently, so it may choose another one of equal moves.
    pub chosen: Option<Direction>,
}

impl TreeView {
    /// The whole search of this depth, with `top` branches for each node.
    pub fn whole(depth: u32, top: usize) -> TreeView {
        TreeView { depth, drawn: depth, top, chosen: None }
    }

    /// Rejects a tree that would probably be too large to draw, before a long search.
    pub fn check(&self, board: &Board, four: Probability) -> Result<(), PlayerError> {
        check_size(likely_size(board, four, self.drawn, self.top))
    }
}

/// A node of a tree.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeNode {
    /// The index of its parent. `None` for the root.
    pub parent: Option<usize>,
    /// The step from its parent.
    pub step: Step,
    /// The tiles.
    pub tiles: Grid,
    /// The value of the move that leads here, or of the board after a spawn or at the root.
    pub value: MoveValue,
    /// Whether the node is on the chosen line.
    pub best: bool,
    /// The number of branches that are not drawn.
    pub left_out: usize,
}

/// The step from a node to its child.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// None: the root position.
    Root,
    /// A move to an afterstate, or to a board if the spawn is known.
    Move {
        /// The direction.
        direction: Direction,
        /// The sum of the merged tiles.
        reward: u64,
        /// The tile that will spawn, if known.
        known: Option<Spawn>,
    },
    /// A spawn, which leads to a board.
    Spawn {
        /// The spawned tile.
        spawn: Spawn,
        /// Its probability.
        probability: f64,
    },
}

/// How a search treats spawns. It determines which spawns are drawn first and where the chosen line
/// continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChanceStyle {
    /// The average over all spawns. Likely spawns come first, and the line continues after each of
    /// them.
    Average,
    /// The worst spawn. Bad spawns come first, and the line continues only after the worst.
    Worst,
    /// The sum over all spawns, with a choice only at the root. The largest summands come first.
    Sum,
}

/// A search with chance whose tree can be drawn.
pub(crate) trait ChanceSearch {
    /// How it treats spawns.
    fn style(&self) -> ChanceStyle;

    /// The meaning of its values.
    fn unit(&self) -> Unit;

    /// The value of each legal direction at this depth (at least 1). `chance` is the probability of
    /// reaching the board.
    fn values(
        &mut self,
        board: &Board,
        score: u64,
        depth: u32,
        chance: f64,
    ) -> Result<[MoveValue; 4], PlayerError>;

    /// The remaining depth on a board after this tile has spawned, if it was `depth` before the
    /// move. `chance` is the probability of reaching the board.
    fn after_spawn(&self, depth: u32, tile: u64, chance: f64) -> u32 {
        let _ = (tile, chance);
        depth - 1
    }

    /// The value of a board with remaining depth `depth`, given the values of its moves. No move
    /// has a value if the board is stuck, or at the end of the tree. `appeared` is the tile that
    /// has just spawned. Unknown if the search does not evaluate boards at the end of the tree.
    fn worth(
        &mut self,
        board: &Board,
        score: u64,
        appeared: Option<u64>,
        values: [MoveValue; 4],
        depth: u32,
    ) -> MoveValue;

    /// The direction that the search takes for these values: the first of the best.
    fn chosen(&self, values: [MoveValue; 4]) -> Option<Direction> {
        let decision = Decision::best_of(values, self.unit(), 0, 0)?;
        match decision.action {
            Action::Move(direction) => Some(direction),
            Action::Pass | Action::Quit => None,
        }
    }
}

/// Builds the tree of a search with chance, with the most important branches of each node.
pub(crate) fn chance_tree(
    search: &mut dyn ChanceSearch,
    board: &Board,
    score: u64,
    four: Probability,
    view: TreeView,
) -> Result<Tree, PlayerError> {
    let TreeView { depth, chosen, .. } = view;
    let (drawn, top) = (view.drawn.clamp(1, depth.max(1)), view.top.max(1));
    let view = TreeView { drawn, top, ..view };
    view.check(board, four)?;
    let unit = search.unit();
    let mut growing = Growing { search, four, top, chosen, nodes: Vec::new() };
    let values = growing.search.values(board, score, depth, 1.0)?;
    let value = growing.search.worth(board, score, None, values, depth);
    growing.add(None, Step::Root, board.to_grid(), value, true);
    growing.moves(0, &Place { board, score, depth, drawn, chance: 1.0 }, values)?;
    Ok(Tree { nodes: growing.nodes, unit, depth, drawn, needs_future: false })
}

/// Estimates the number of nodes, taking the first branches instead of the best ones. Stops
/// counting once the result exceeds the allowed size.
fn likely_size(board: &Board, four: Probability, drawn: u32, top: usize) -> usize {
    let mut nodes = 1;
    let moves = Direction::ALL.into_iter().filter_map(|direction| board.slide(direction).ok().flatten());
    for slid in moves.take(top) {
        nodes += 1;
        if drawn <= 1 {
            continue;
        }
        for outcome in outcomes(&slid.after, four).take(top) {
            if nodes > MOST_NODES {
                return nodes;
            }
            let board = slid.after.spawn(outcome.spawn.cell, outcome.spawn.tile);
            nodes += board.map_or(0, |board| likely_size(&board, four, drawn - 1, top));
        }
    }
    nodes
}

/// A board whose moves are added to the tree.
struct Place<'a> {
    board: &'a Board,
    score: u64,
    /// The remaining depth of the search.
    depth: u32,
    /// How many of these moves are drawn.
    drawn: u32,
    /// The probability of reaching the board.
    chance: f64,
}

/// A tree under construction.
struct Growing<'a> {
    search: &'a mut dyn ChanceSearch,
    four: Probability,
    top: usize,
    /// The move at the root, if known.
    chosen: Option<Direction>,
    nodes: Vec<TreeNode>,
}

impl Growing<'_> {
    fn add(&mut self, parent: Option<usize>, step: Step, tiles: Grid, value: MoveValue, best: bool) -> usize {
        self.nodes.push(TreeNode { parent, step, tiles, value, best, left_out: 0 });
        self.nodes.len() - 1
    }

    /// Adds the best moves of a board.
    fn moves(&mut self, parent: usize, place: &Place<'_>, values: [MoveValue; 4]) -> Result<(), PlayerError> {
        let Place { board, score, depth, drawn, chance } = *place;
        let mut moves: Vec<(Direction, MoveValue)> =
            Direction::ALL.into_iter().zip(values).filter(|(_, value)| value.is_judged()).collect();
        check_size(self.nodes.len())?;
        let known = self.chosen.filter(|direction| parent == 0 && values[direction.index()].is_judged());
        let chosen = known.or_else(|| self.search.chosen(values));
        moves.sort_by(|a, b| b.1.total_cmp(&a.1));
        // The chosen move comes first, since values may be equal.
        moves.sort_by_key(|&(direction, _)| Some(direction) != chosen);
        self.nodes[parent].left_out = moves.len().saturating_sub(self.top);
        moves.truncate(self.top);
        let chooses = parent == 0 || self.search.style() != ChanceStyle::Sum;
        for (direction, value) in moves {
            let Some(slid) = board.slide(direction).ok().flatten() else { continue };
            let step = Step::Move { direction, reward: slid.reward, known: None };
            let best = chooses && Some(direction) == chosen && self.nodes[parent].best;
            let node = self.add(Some(parent), step, slid.after.to_grid(), value, best);
            if drawn == 1 && depth > 1 {
                continue;
            }
            let score = score.saturating_add(slid.reward);
            let boards = outcomes(&slid.after, self.four).filter_map(|outcome| {
                let board = slid.after.spawn(outcome.spawn.cell, outcome.spawn.tile).ok()?;
                Some((outcome, board))
            });
            self.spawns(node, boards.collect(), &Place { board, score, depth, drawn, chance })?;
        }
        Ok(())
    }

    /// Adds the most important spawns after a move. `before` is the place of the move, with the
    /// score after it.
    fn spawns(
        &mut self,
        parent: usize,
        boards: Vec<(ChanceOutcome, Board)>,
        before: &Place<'_>,
    ) -> Result<(), PlayerError> {
        let Place { score, depth, drawn, chance, .. } = *before;
        let mut children = Vec::new();
        for (outcome, board) in boards {
            let chance = chance * outcome.probability;
            let depth = self.search.after_spawn(depth, outcome.spawn.tile, chance);
            let look = depth > 0 && board.has_moves();
            let values = match look {
                true => self.search.values(&board, score, depth, chance)?,
                false => [MoveValue::Unknown; 4],
            };
            let value = self.search.worth(&board, score, Some(outcome.spawn.tile), values, depth);
            if depth == 0 && !value.is_judged() {
                return Ok(());
            }
            children.push((outcome, board, values, value, depth));
        }
        let style = self.search.style();
        children.sort_by(|(a, _, _, x, _), (b, _, _, y, _)| match style {
            ChanceStyle::Average => b.probability.total_cmp(&a.probability).then(y.total_cmp(x)),
            ChanceStyle::Worst => x.total_cmp(y),
            ChanceStyle::Sum => y.total_cmp(x),
        });
        self.nodes[parent].left_out = children.len().saturating_sub(self.top);
        children.truncate(self.top);
        for (rank, (outcome, board, values, value, depth)) in children.into_iter().enumerate() {
            let step = Step::Spawn { spawn: outcome.spawn, probability: outcome.probability };
            let goes_on = match style {
                ChanceStyle::Average => true,
                ChanceStyle::Worst => rank == 0,
                ChanceStyle::Sum => false,
            };
            let best = goes_on && self.nodes[parent].best;
            let node = self.add(Some(parent), step, board.to_grid(), value, best);
            if depth > 0 && drawn > 1 {
                let chance = chance * outcome.probability;
                self.moves(node, &Place { board: &board, score, depth, drawn: drawn - 1, chance }, values)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::board::parse_board;
    use crate::eval::testing::{STARTS, TenEach, assert_close};
    use crate::eval::{Corner, CornerWeights, Product};
    use crate::game::{Game, Player, Rules, Situation};
    use crate::search::{
        CancelCheck, Clairvoyant, ClairvoyantOptions, Minimax, MinimaxOptions, Sum, SumOptions,
    };

    fn game(start: &str) -> Game {
        Game::from_board(Rules::default(), 4, parse_board(start, None).unwrap())
    }

    fn children(tree: &Tree, node: usize) -> impl Iterator<Item = &TreeNode> {
        tree.nodes.iter().filter(move |child| child.parent == Some(node))
    }

    /// Checks that each node comes after its parent, and that the chosen line starts with the
    /// decision.
    fn check(tree: &Tree, decision: &Decision) {
        for (place, node) in tree.nodes.iter().enumerate() {
            assert!(node.parent.map_or(place == 0, |parent| parent < place));
            assert!(!node.best || node.parent.is_none_or(|parent| tree.nodes[parent].best));
        }
        let first = children(tree, 0).find(|node| node.best).unwrap();
        let Step::Move { direction, .. } = first.step else { panic!("a child of the root must be a move") };
        assert_eq!(Action::Move(direction), decision.action);
        for node in children(tree, 0) {
            let Step::Move { direction, .. } = node.step else {
                panic!("a child of the root must be a move")
            };
            assert_eq!(node.value, decision.values[direction.index()]);
        }
    }

    #[test]
    fn the_tree_of_clairvoyant_is_whole_and_plays_like_the_game() {
        let game = game(STARTS[0]);
        let mut player = Clairvoyant::new(Arc::new(Product), ClairvoyantOptions::with_depth(3));
        let tree = player.tree(&Situation::with_future(&game)).unwrap();
        let mut fresh = Clairvoyant::new(Arc::new(Product), ClairvoyantOptions::with_depth(3));
        let decision = fresh.choose(&Situation::with_future(&game)).unwrap();
        check(&tree, &decision);
        assert_eq!(tree.nodes.len() as u64, decision.nodes + 1);
        assert_eq!(
            tree.nodes.iter().filter(|node| node.best).count(),
            4,
            "the line has one node in each layer"
        );
        for node in children(&tree, 0) {
            let Step::Move { direction, reward, known } = node.step else {
                panic!("a child of the root must be a move")
            };
            let mut game = game.clone();
            let turn = game.play(Action::Move(direction)).unwrap();
            assert_eq!((turn.reward, turn.spawn), (reward, known));
            assert_eq!(game.board().to_grid(), node.tiles);
        }
    }

    #[test]
    fn the_worst_spawn_of_minimax_is_the_value_of_its_afterstate() {
        // The first move scores points.
        let game = game("2 2 0/0 0 4/0 0 0");
        let options = MinimaxOptions::with_depth(2);
        let smooth = || Minimax::with_smooth(options).unwrap();
        let points = || Minimax::with_evaluator(Arc::new(TenEach), options).unwrap();
        for minimax in [&smooth as &dyn Fn() -> Minimax, &points] {
            let decision = minimax().choose(&Situation::with_future(&game)).unwrap();
            let tree = minimax().tree(&Situation::with_future(&game), TreeView::whole(2, 3)).unwrap();
            check(&tree, &decision);
            for (place, node) in tree.nodes.iter().enumerate() {
                let values: Vec<f64> =
                    children(&tree, place).filter_map(|child| child.value.worth()).collect();
                let (least, most) =
                    (values.iter().copied().reduce(f64::min), values.iter().copied().reduce(f64::max));
                match node.step {
                    Step::Move { .. } => assert_eq!(node.value.worth(), least),
                    _ if values.is_empty() => {}
                    _ => assert_eq!(node.value.worth(), most),
                }
                assert!(values.len() <= 3);
            }
            let way = tree.nodes.iter().filter(|node| node.best).count();
            assert_eq!(way, 5, "the line has a root, two moves and two spawns");
        }
    }

    #[test]
    fn everything_that_sum_adds_up_is_in_the_whole_tree() {
        // The first move scores points.
        let game = game("2 2 4/0 0 8");
        let options = SumOptions { depth: 2, table_bytes: 1 << 20, cancel: CancelCheck::default() };
        let corner = || Sum::with_corner(Corner::new(CornerWeights::default()), options);
        let points = || Sum::with_evaluator(Arc::new(TenEach), options);
        for sum in [&corner as &dyn Fn() -> Sum, &points] {
            let decision = sum().choose(&Situation::with_future(&game)).unwrap();
            let tree = sum().tree(&Situation::with_future(&game), 100).unwrap();
            check(&tree, &decision);
            for (place, node) in tree.nodes.iter().enumerate() {
                let below: f64 = children(&tree, place).filter_map(|child| child.value.worth()).sum();
                if matches!(node.step, Step::Move { .. }) {
                    assert_close(node.value.worth().unwrap(), below);
                }
                assert_eq!(node.left_out, 0);
            }
            let few = sum().tree(&Situation::with_future(&game), 2).unwrap();
            assert!(few.nodes.iter().any(|node| node.left_out > 0));
            assert!((0..few.nodes.len()).all(|place| children(&few, place).count() <= 2));
        }
    }
}
