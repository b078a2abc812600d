//! Search trees, pictures and animations.

use std::ops::ControlFlow;
use std::time::Duration;

use lab2048::board::Board;
use lab2048::players::BuildError;
use lab2048::search::{Step, Tree, TreeNode};
use lab2048_draw::animation::{Animation, Pace};
use lab2048_draw::{search_tree, still};
use serde_json::{Value, json};

use crate::games::read_replay;
use crate::players::refuse_stuck;
use crate::request::{WantedGif, WantedTree};
use crate::{Answer, Failure, Host, view};

/// How many branches of each board are drawn.
const TOP: usize = 3;

/// A tree, or the network that has to be handed over first.
enum Drawn {
    Tree(Tree),
    Needs(&'static str),
}

impl Host {
    fn drawn(&self, wanted: WantedTree) -> Result<Drawn, Failure> {
        let spec = self.spec(&wanted.spec)?;
        let game = wanted.position.game();
        refuse_stuck(&game)?;
        match self.registry.tree(&spec, &game, wanted.depth, wanted.top.unwrap_or(TOP)) {
            Ok(tree) => Ok(Drawn::Tree(tree)),
            Err(BuildError::NotHandedOver { name }) => Ok(Drawn::Needs(name)),
            Err(error) => Err(Failure::because(error)),
        }
    }

    pub(crate) fn tree(&self, wanted: WantedTree) -> Answer {
        Ok(match self.drawn(wanted)? {
            Drawn::Needs(network) => json!({ "network": network, "nodes": [] }),
            Drawn::Tree(tree) => json!({
                "network": null,
                "unit": tree.unit,
                "depth": tree.depth,
                "drawn": tree.drawn,
                "needs_future": tree.needs_future,
                "nodes": tree.nodes.iter().map(node).collect::<Vec<_>>(),
            }),
        })
    }

    pub(crate) fn tree_picture(&self, wanted: WantedTree, title: Option<&str>) -> Answer {
        let spec = wanted.spec.clone();
        Ok(match self.drawn(wanted)? {
            Drawn::Needs(network) => json!({ "network": network, "svg": null }),
            Drawn::Tree(tree) => {
                let svg = search_tree::draw(&tree, title.unwrap_or(&spec));
                json!({ "network": null, "svg": svg })
            }
        })
    }

    pub(crate) fn gif(&mut self, wanted: WantedGif) -> Answer {
        let replay = read_replay(&wanted.text)?;
        let moves = replay.steps().len() as u64;
        let every = wanted.every.unwrap_or_else(|| Pace::default_every(moves)).max(1);
        let smooth = wanted.smooth.unwrap_or_else(|| Pace::default_smooth(every));
        let pace = Pace::new(every, Duration::from_millis(wanted.delay_ms), smooth, Duration::from_secs(3));
        let scale = wanted.scale.unwrap_or(1.0).clamp(0.125, 8.0);
        let animation = Animation { replay: &replay, pace, scale, repeat: true };
        let (width, height) = animation.picture_size();
        let made =
            animation.write(&mut self.data, |_| ControlFlow::Continue(())).map_err(Failure::because)?;
        Ok(json!({
            "width": width,
            "height": height,
            "pictures": made.pictures,
            "every": every,
            "bytes": self.data.len(),
        }))
    }
}

/// A board as a picture.
pub(crate) fn picture(board: Board) -> Value {
    json!({ "svg": still::board(&board) })
}

fn node(node: &TreeNode) -> Value {
    let step = match node.step {
        Step::Root => json!({ "root": true }),
        Step::Move { direction, reward, known } => {
            json!({ "move": direction, "reward": reward, "known": known.map(view::spawn) })
        }
        Step::Spawn { spawn, probability } => {
            json!({ "spawn": view::spawn(spawn), "probability": probability })
        }
    };
    json!({
        "parent": node.parent,
        "step": step,
        "tiles": node.tiles.rows().collect::<Vec<_>>(),
        "value": view::value(node.value),
        "best": node.best,
        "left_out": node.left_out,
    })
}
