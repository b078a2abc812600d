//! Requests to the native engine and the hashes of its answers, one JSON object a line. The script
//! `tests/compare.mjs` sends the same requests to the WebAssembly module and compares.
//!
//! ```sh
//! cargo run -p lab2048-web --example transcript > transcript.jsonl
//! node crates/web/tests/compare.mjs web/lab2048.wasm transcript.jsonl
//! ```

#![allow(clippy::print_stdout)]

use std::path::Path;
use std::time::Duration;

use lab2048::Clock;
use lab2048::ntuple::NetworkFile;
use lab2048_web::Host;
use serde_json::{Value, json};

/// The number of games.
const SEEDS: u64 = 1000;

/// Sizes and players, in turn.
const CONTESTS: [(&str, &str); 12] = [
    ("4x4", "greedy"),
    ("3x3", "random"),
    ("4x4", "ntuple:net=small,depth=1"),
    ("5x5", "random"),
    ("2x2", "expectimax:eval=rows,depth=3"),
    ("3x4", "greedy"),
    ("4x4", "minimax:depth=1"),
    ("8x8", "greedy"),
    ("4x4", "clairvoyant:depth=2"),
    ("2x8", "random"),
    ("4x4", "sum:depth=1"),
    ("3x3", "expectimax:eval=smooth,depth=1"),
];

fn main() {
    let mut transcript = Transcript { host: Host::with_clock(Clock::new(|| Duration::ZERO)) };
    transcript.network("small");
    for seed in 0..SEEDS {
        let (size, spec) = CONTESTS[seed as usize % CONTESTS.len()];
        transcript.game(seed, size, spec);
    }
    transcript.thoughts();
    transcript.practice();
    transcript.ask(json!({ "do": "players" }));
}

struct Transcript {
    host: Host,
}

impl Transcript {
    /// Sends a request, writes it down and returns the answer.
    fn ask(&mut self, request: Value) -> Value {
        self.send(&request, None)
    }

    /// Hands over a network of the project.
    fn network(&mut self, name: &str) {
        let file = format!("{name}.net");
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../nets").join(&file);
        let bytes = std::fs::read(path).expect("the network is in the project");
        let answer = self.send(&json!({ "do": "network", "name": name }), Some((&file, &bytes)));
        assert!(answer["error"].is_null(), "{answer}");
    }

    fn send(&mut self, request: &Value, file: Option<(&str, &[u8])>) -> Value {
        let text = request.to_string();
        let answer = self.host.call(text.as_bytes(), file.map(|(_, bytes)| bytes));
        let hash = NetworkFile::hash(answer.as_bytes());
        let file = file.map(|(name, _)| name);
        println!("{}", json!({ "request": text, "file": file, "sha256": hash }));
        serde_json::from_str(&answer).expect("an answer is JSON")
    }

    /// A game from its seed: a player plays it, and the same moves are played, undone and kept.
    fn game(&mut self, seed: u64, size: &str, spec: &str) {
        let four = [0.1, 0.5, 0.0][seed as usize % 3];
        let new = json!({ "do": "new", "size": size, "seed": seed.to_string(), "four": four });
        let game = self.ask(new)["game"].clone();
        let position = self.ask(json!({ "do": "position", "game": game }));
        let player = self.ask(json!({ "do": "player", "spec": spec, "position": position }));
        assert!(player["error"].is_null(), "{spec}: {player}");
        let player = player["player"].clone();
        let most = if spec.starts_with("ntuple") { 200 } else { 60 };
        let run = json!({ "do": "run", "player": player, "position": position, "most": most });
        let run = self.ask(run);
        for turn in run["turns"].as_array().expect("the player plays") {
            self.ask(json!({ "do": "play", "game": game, "move": turn["move"] }));
        }
        self.ask(json!({ "do": "undo", "game": game }));
        self.ask(json!({ "do": "undo", "game": game }));
        self.ask(json!({ "do": "redo", "game": game }));
        let state = self.ask(json!({ "do": "state", "game": game }));
        if let Some(first) = state["legal"].get(0) {
            let slid = self.ask(json!({ "do": "slide", "game": game, "move": first }));
            let tile = json!({ "cell": slid["empty"][0], "tile": 4 });
            self.ask(json!({ "do": "play", "game": game, "move": first, "spawn": tile }));
        }
        let saved = self.ask(json!({ "do": "save", "game": game, "player": spec }));
        let link = self.ask(json!({ "do": "link", "game": game }));
        for text in [&saved["replay"], &link["moves"]] {
            let loaded = self.ask(json!({ "do": "load", "text": text }));
            self.ask(json!({ "do": "at", "game": loaded["game"], "turn": 5 }));
            self.ask(json!({ "do": "drop", "game": loaded["game"] }));
        }
        self.ask(json!({ "do": "board", "text": state["board"].to_string() }));
        self.ask(json!({ "do": "picture", "board": state["board"] }));
        self.ask(json!({ "do": "leave", "player": player }));
        self.ask(json!({ "do": "drop", "game": game }));
    }

    /// Searches in steps, trees, a review and an animation.
    fn thoughts(&mut self) {
        let new = json!({ "do": "new", "seed": "7", "board": [[2,4,8,16],[0,2,4,8],[0,0,2,4],[0,0,0,2]] });
        let game = self.ask(new)["game"].clone();
        let position = self.ask(json!({ "do": "position", "game": game }));
        for spec in ["ntuple:depth=4", "expectimax:nodes=30000", "minimax:depth=2", "clairvoyant:depth=4"] {
            let player = self.ask(json!({ "do": "player", "spec": spec, "position": position }));
            loop {
                let think =
                    json!({ "do": "think", "player": player["player"], "position": position, "nodes": 3000 });
                if self.ask(think)["done"] == json!(true) {
                    break;
                }
            }
            self.ask(json!({ "do": "tree", "spec": spec, "position": position, "depth": 2 }));
            self.ask(json!({ "do": "tree_picture", "spec": spec, "position": position, "depth": 1 }));
        }
        let mut state = self.ask(json!({ "do": "state", "game": game }));
        for _ in 0..40 {
            let Some(direction) = state["legal"].get(0).cloned() else { break };
            state = self.ask(json!({ "do": "play", "game": game, "move": direction }))["state"].clone();
        }
        let saved = self.ask(json!({ "do": "save", "game": game }))["replay"].clone();
        let review = self.ask(json!({ "do": "review", "text": saved, "spec": "ntuple:depth=2" }));
        self.ask(json!({ "do": "judge", "review": review["review"] }));
        self.ask(json!({ "do": "gif", "text": saved, "scale": 0.5 }));
    }

    /// Positions of small boards, drawn and played by their exact values.
    fn practice(&mut self) {
        for (size, tile) in [("2x2", json!(null)), ("2x2", json!(16)), ("2x3", json!(32)), ("3x2", json!(64))]
        {
            for seed in 0..20 {
                let (from, to) = if tile.is_null() { (10.0, 60.0) } else { (0.2, 0.95) };
                let draw = json!({ "do": "practice_draw", "size": size, "tile": tile, "seed": seed.to_string(),
                                   "from": from, "to": to });
                let mut drawn = self.ask(draw);
                let new = json!({ "do": "new", "board": drawn["board"], "seed": seed.to_string() });
                let game = self.ask(new)["game"].clone();
                while drawn["state"] == json!("open") {
                    let play = json!({ "do": "play", "game": game, "move": drawn["exact"]["best"] });
                    let board = self.ask(play)["state"]["board"].clone();
                    let judge = json!({ "do": "practice_judge", "size": size, "tile": tile, "board": board });
                    drawn = self.ask(judge);
                }
                self.ask(json!({ "do": "drop", "game": game }));
            }
        }
        // What cannot be solved here, does not fit, or is too rare.
        for (size, tile, to) in [("3x3", 64, 1.0), ("2x3", 7, 1.0), ("2x2", 512, 1.0), ("2x2", 16, 0.0)] {
            let draw = json!({ "do": "practice_draw", "size": size, "tile": tile, "seed": "1", "to": to });
            assert!(self.ask(draw)["error"].is_string(), "{size} {tile}");
        }
        let judge =
            json!({ "do": "practice_judge", "size": "2x2", "tile": 16, "board": [[2, 2, 2], [0, 0, 2]] });
        assert!(self.ask(judge)["error"].is_string());
    }
}
