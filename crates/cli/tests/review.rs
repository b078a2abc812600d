//! `lab2048 review` with the real binary.

mod support;

use serde_json::Value;
use support::{Place, forged};

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// A weak judge that is fast.
const JUDGE: &str = "ntuple:net=run/network.net";

/// A folder with a short game and a small network.
fn place_with_a_game() -> Place {
    let place = Place::new();
    place.ok("train run --patterns 0123%204567 --threads 1 --seed 3 --games 50", "");
    place.ok("watch random --seed 3 --max-moves 40 --every 0 --save game.2048", "");
    place
}

/// The bounds of the grades, independent of the implementation.
fn grade_of(ratio: f64) -> &'static str {
    let bounds =
        [(0.999, "excellent"), (0.99, "good"), (0.975, "inaccuracy"), (0.9, "mistake"), (0.75, "blunder")];
    bounds.into_iter().find(|(least, _)| ratio >= *least).map_or("disaster", |(_, name)| name)
}

#[test]
fn every_figure_follows_from_the_values_of_the_judge() {
    let place = place_with_a_game();
    let review = json(&place.ok(&format!("review game.2048 --judge {JUDGE} --json"), ""));
    assert_eq!(
        (&review["complete"], &review["player"], &review["judge"]),
        (&true.into(), &"random".into(), &JUDGE.into())
    );
    assert_eq!(review["network"].as_str().map(str::len), Some(64));
    let moves = review["moves"].as_array().expect("moves");
    assert_eq!(moves.len(), 40);
    let mut counts = std::collections::BTreeMap::new();
    let (mut loss, mut cost, mut random_cost, mut graded) = (0.0, 0.0, 0.0, 0);
    let cost_of = |share: f64| share / (share + 0.025);
    for (index, judged) in moves.iter().enumerate() {
        assert_eq!(judged["move"], index + 1);
        let value =
            |name: &Value| judged["values"][name.as_str().expect("a direction")].as_f64().expect("a value");
        let legal: Vec<f64> =
            judged["values"].as_object().expect("values").values().filter_map(Value::as_f64).collect();
        let best = legal.iter().copied().fold(f64::MIN, f64::max);
        assert_eq!(value(&judged["best"]), best);
        let lost = best - value(&judged["played"]);
        assert_eq!(judged["loss"], lost);
        let score = judged["score"].as_f64().expect("a score");
        let ratio = (score + value(&judged["played"])) / (score + best);
        let verdict = if legal.len() == 1 { "forced" } else { grade_of(ratio) };
        assert_eq!(judged["verdict"], verdict, "{judged}");
        if legal.len() > 1 {
            *counts.entry(verdict).or_insert(0) += 1;
            (loss, graded) = (loss + lost, graded + 1);
            let costs = legal.iter().map(|value| cost_of((best - value.max(0.0)) / (score + best)));
            let mean = costs.sum::<f64>() / legal.len() as f64;
            let near = |name: &str, hoped: f64| {
                let found = judged[name].as_f64().expect("a cost");
                assert!((found - hoped).abs() < 1e-9, "{name}: {found}, not {hoped}: {judged}");
            };
            near("cost", cost_of(1.0 - ratio));
            near("random_cost", mean);
            (cost, random_cost) = (cost + cost_of(1.0 - ratio), random_cost + mean);
        }
    }
    for (grade, count) in counts {
        assert_eq!(review["summary"]["grades"][grade]["moves"], count, "{grade}");
    }
    let near = |name: &str, hoped: f64| {
        let found = review["summary"][name].as_f64().expect("a figure");
        assert!((found - hoped).abs() < 1e-9 * hoped, "{name}: {found}, not {hoped}");
    };
    near("loss", loss);
    near("accuracy", (1.0 - cost / (random_cost + 0.1)).max(0.0));
    near("mean_loss", loss / f64::from(graded));
    // `best` gives the same values for the same player and board.
    for number in [1_usize, 7, 40] {
        let at = json(&place.ok(&format!("replay game.2048 --at {} --json", number - 1), ""));
        let asked = json(&place.ok(&format!("best {} --player {JUDGE} --json", at["board"]), ""));
        assert_eq!(asked["values"], moves[number - 1]["values"]);
    }
}

#[test]
fn a_player_judged_by_itself_loses_nothing() {
    let place = place_with_a_game();
    place.ok(&format!("watch {JUDGE},depth=2 --seed 5 --max-moves 100 --every 0 --save own.2048"), "");
    let review = json(&place.ok(&format!("review own.2048 --judge {JUDGE},depth=2 --json"), ""));
    assert_eq!((&review["summary"]["moves"], &review["summary"]["loss"]), (&100.into(), &0.0.into()));
    assert_eq!((&review["summary"]["kept"], &review["worst"]), (&1.0.into(), &Value::Array(Vec::new())));
    assert_eq!(review["summary"]["accuracy"], 1.0);
}

/// The mean accuracy of games, judged by the default judge.
fn mean_accuracy(place: &Place, player: &str, games: usize) -> f64 {
    place.ok(&format!("watch {player} --seed 1 --games {games} --every 0 --save {player}.2048"), "");
    let files: String = (2..=games).map(|number| format!(" {player}-{number}.2048")).collect();
    let text = place.ok(&format!("review {player}.2048{files} --json"), "");
    let reviews: Vec<Value> = serde_json::Deserializer::from_str(&text)
        .into_iter()
        .collect::<Result<_, _>>()
        .unwrap_or_else(|error| panic!("{error}: {text}"));
    for (review, seed) in reviews.iter().zip(1..) {
        assert_eq!((&review["player"], &review["seed"]), (&player.into(), &seed.into()));
    }
    assert_eq!(reviews.len(), games);
    let accuracy = |review: &Value| review["summary"]["accuracy"].as_f64().expect("an accuracy");
    reviews.iter().map(accuracy).sum::<f64>() / games as f64
}

#[test]
fn several_replays_are_reviewed_one_after_the_other() {
    let place = place_with_a_game();
    place.ok("watch random --seed 4 --max-moves 20 --every 0 --save other.2048", "");
    let alone = ["game", "other"].map(|name| place.ok(&format!("review {name}.2048 --judge {JUDGE}"), ""));
    let both = place.ok(&format!("review game.2048 other.2048 --judge {JUDGE}"), "");
    assert_eq!(both, alone.join("\n"));
    // A page shows one game.
    let said = place.fails(&format!("review game.2048 other.2048 --judge {JUDGE} --html page.html"), "", 2);
    assert_eq!(said, "--html makes a page of one replay, not of several");
    assert!(!place.path("page.html").exists());
}

#[test]
fn a_replay_that_cannot_be_reviewed_does_not_stop_the_others() {
    let place = place_with_a_game();
    place.ok("watch random --seed 4 --max-moves 20 --every 0 --save other.2048", "");
    place.ok("watch random --seed 3 --size 5x5 --max-moves 4 --every 0 --save large.2048", "");
    place.write("noise.2048", "noise");
    let files = "none.2048 game.2048 noise.2048 large.2048 other.2048";
    for option in ["", " --json"] {
        let both = place.ok(&format!("review game.2048 other.2048 --judge {JUDGE}{option}"), "");
        let ran = place.run(&format!("review {files} --judge {JUDGE}{option}"), "");
        assert_eq!((ran.code, ran.out), (Some(1), both));
        let said: Vec<&str> = ran.err.lines().collect();
        for (said, says) in said.iter().zip([
            "lab2048: cannot read none.2048: ",
            "lab2048: noise.2048: line 1: ",
            &format!("lab2048: large.2048: {JUDGE} cannot be the judge: "),
        ]) {
            assert!(said.starts_with(says), "{said}");
        }
        assert_eq!(said.len(), 3, "{}", ran.err);
    }
}

#[test]
fn a_replay_that_is_not_valid_is_reviewed_with_a_warning() {
    let place = place_with_a_game();
    place.ok("watch random --seed 3 --max-moves 4 --every 0 --save short.2048", "");
    let text = place.read("short.2048");
    let header = text.lines().nth(1).expect("a header");
    let score = json(header)["score"].as_u64().expect("a score in the header");
    let other = forged(&text.replacen(&format!("\"score\":{score}"), "\"score\":5", 1));
    place.write("forged.2048", &other);
    let ran = place.run(&format!("review forged.2048 --judge {JUDGE}"), "");
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(
        ran.err,
        format!(
            "lab2048: forged.2048: the replay is not valid: \
             the replay states a score of 5, but its steps make {score}\n"
        )
    );
    assert!(ran.out.contains("accuracy"), "{}", ran.out);
}

/// A judge that can judge no game ends the command at the first replay.
#[test]
fn an_unusable_judge_is_reported_once() {
    let place = place_with_a_game();
    for (judge, says) in [
        ("ntuple:net=missing.net", "cannot read the network missing.net: "),
        ("clairvoyant", "clairvoyant cannot be the judge: it knows the coming tiles"),
    ] {
        let alone = place.fails(&format!("review game.2048 --judge {judge}"), "", 2);
        assert!(alone.contains(says), "{alone}");
        let both = place.fails(&format!("review game.2048 game.2048 --judge {judge}"), "", 2);
        assert_eq!(both, alone);
    }
}

/// Other sizes have no network that ships. The sentence says what helps.
#[test]
fn sizes_without_a_judge_are_told_how_to_get_one() {
    let place = Place::new();
    let network = |size: &str| {
        format!(
            "on this board only a network that you train counts points: lab2048 train net --size {size}, \
             then use the judge ntuple:net=net/network.net"
        )
    };
    let known = "on this board the judge auto counts points".to_owned();
    let solved = "on 3x3 the judge auto counts points after lab2048 solve 3x3".to_owned();
    let none = "no player counts points on boards with a side above 4".to_owned();
    for (game, judge, helps) in [
        ("--size 2x3", "greedy", known),
        // No game on 2x3 reaches this tile.
        ("--board 2%202%200/4096%200%200", "auto", network("2x3")),
        ("--board 2%202%200/4096%200%200", "greedy", network("2x3")),
        ("--size 3x3", "auto", solved.clone()),
        ("--size 3x3 --four 0.2", "auto", format!("{solved} --four 0.2")),
        ("--size 3x4", "auto", network("3x4")),
        ("--size 5x5", "auto", none.clone()),
        ("--size 2x5", "auto", none),
    ] {
        place.ok(&format!("watch random {game} --seed 3 --max-moves 4 --every 0 --save g.2048"), "");
        let said = place.fails(&format!("review g.2048 --judge {judge}"), "", 2);
        let says = format!(
            "{judge} cannot be the judge: its values on this board are preferences, not points; {helps}"
        );
        assert_eq!(said, says, "{game}");
        std::fs::remove_file(place.path("g.2048")).expect("it was saved");
    }
}

/// docs/reference/review.md has the figures of 100 games.
#[test]
fn random_moves_have_no_accuracy_and_greedy_ones_little() {
    let place = Place::new();
    let random = mean_accuracy(&place, "random", 10);
    assert!((0.0..0.1).contains(&random), "{random}");
    let greedy = mean_accuracy(&place, "greedy", 6);
    assert!((0.1..0.5).contains(&greedy), "{greedy}");
}

#[test]
fn the_judge_itself_loses_nothing() {
    let place = Place::new();
    place.ok("watch auto --seed 1 --max-moves 60 --every 0 --save own.2048", "");
    let review = json(&place.ok("review own.2048 --json", ""));
    assert_eq!(review["summary"]["accuracy"], 1.0);
    // Exact play of a small board is a judge as well.
    place.ok("watch optimal --size 2x3 --seed 1 --every 0 --save small.2048", "");
    let review = json(&place.ok("review small.2048 --json --judge optimal", ""));
    assert_eq!(review["summary"]["accuracy"], 1.0);
    assert!(place.ok("review small.2048 --judge optimal", "").contains("\naccuracy 100.0%: "));
}

/// ```text
///   2 .      all four moves lead to images of the same board
///   . 2
/// ```
#[test]
fn a_game_without_a_decision_has_no_accuracy() {
    let place = Place::new();
    place.ok("watch random --board 2%200/0%202 --max-moves 1 --seed 1 --every 0 --save free.2048", "");
    let review = json(&place.ok("review free.2048 --judge optimal --json", ""));
    assert_eq!(review["summary"]["accuracy"], Value::Null);
    let said = place.ok("review free.2048 --judge optimal", "");
    assert!(said.contains("\naccuracy -: no move could lose anything; 1 of 1 graded moves"), "{said}");
}

#[test]
fn the_text_names_grades_and_mistakes() {
    let place = place_with_a_game();
    let text = place.ok(&format!("review game.2048 --judge {JUDGE},depth=2 --worst 3"), "");
    for piece in [
        "game.2048: random, 4x4, seed 3: unfinished, score ",
        &format!("judge: {JUDGE},depth=2\n"),
        "\nexcellent ",
        "\ndisaster ",
        "\naccuracy ",
        "the moves that lost most:\n",
    ] {
        assert!(text.contains(piece), "{piece} is missing in\n{text}");
    }
    assert_eq!(text.matches("\nmove ").count(), 3);
    assert_eq!(text.matches("points to come: up ").count(), 3);
    let worst = json(&place.ok(&format!("review game.2048 --judge {JUDGE},depth=2 --worst 3 --json"), ""));
    for number in worst["worst"].as_array().expect("numbers") {
        assert!(text.contains(&format!("\nmove {number}: ")), "{number} is missing in\n{text}");
    }
    let without = place.ok(&format!("review game.2048 --judge {JUDGE},depth=2 --worst 0"), "");
    assert!(!without.contains("lost most"));
}

#[test]
fn the_default_judge_is_the_shipped_network() {
    let place = Place::new();
    place.ok("watch random --seed 3 --max-moves 3 --every 0 --save game.2048", "");
    let review = json(&place.ok("review game.2048 --json", ""));
    assert_eq!(
        (&review["judge"], review["moves"].as_array().map(Vec::len)),
        (&"ntuple:depth=3".into(), Some(3))
    );
    assert!(review["moves"][0]["best_value"].as_f64().is_some_and(|points| points > 10_000.0), "{review}");
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let place = place_with_a_game();
    let one = place.ok(&format!("review game.2048 --judge {JUDGE},depth=2 --json --threads 1"), "");
    assert_eq!(one, place.ok(&format!("review game.2048 --judge {JUDGE},depth=2 --json --threads 3"), ""));
}

/// Checks that every opened element is closed, in order, as in XML.
fn check_elements(page: &str) {
    let mut open = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        assert!(
            !rest[..start].contains('>') || open.last() == Some(&"style"),
            "a loose > in {}",
            &rest[..start]
        );
        let end = start + rest[start..].find('>').expect("a tag ends");
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        assert_eq!(tag.matches('"').count() % 2, 0, "quotes come in pairs: {tag}");
        let name = tag.split([' ', '\n']).next().expect("a name");
        if tag.starts_with('!') || tag.ends_with('/') {
            continue;
        }
        match name.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name), "closed in order"),
            None => open.push(name),
        }
    }
    assert!(open.is_empty(), "left open: {open:?}");
    // Every & starts an entity.
    for (place, _) in page.match_indices('&') {
        assert!(
            page[place..].split(';').next().is_some_and(|entity| entity.len() <= 6),
            "{}",
            &page[place..]
        );
    }
}

#[test]
fn the_page_is_self_contained() {
    let place = place_with_a_game();
    let said = place.ok(&format!("review game.2048 --judge {JUDGE} --worst 4 --html review.html"), "");
    assert!(said.contains("accuracy "), "the text is printed too");
    let page = place.read("review.html");
    check_elements(&page);
    assert!(page.starts_with("<!DOCTYPE html>\n") && page.ends_with("</html>\n"));
    assert_eq!(page.matches("<div class=\"mistake\">").count(), 4);
    assert_eq!(page.matches("<figure>").count(), 12, "before, played and best of each");
    assert_eq!(page.matches("<polyline").count(), 2, "the chart has two curves");
    for outside in ["<script", "http://", "https://", "src=", "url(", "@import"] {
        let found = page.matches(outside).count();
        let namespaces = page.matches("xmlns=\"http://www.w3.org/2000/svg\"").count();
        assert_eq!(found, if outside == "http://" { namespaces } else { 0 }, "{outside}");
    }
    // An existing review page may be overwritten, any other file may not.
    place.ok(&format!("review game.2048 --judge {JUDGE} --html review.html"), "");
    place.write("notes.html", "mine");
    let said = place.fails(&format!("review game.2048 --judge {JUDGE} --html notes.html"), "", 2);
    assert_eq!(said, "notes.html already exists and is not a review page; choose another name");
}

#[test]
fn text_from_the_replay_is_escaped() {
    let place = place_with_a_game();
    let evil = "<script>alert(1)</script>&\\\" onload='x' \\u001b[2J";
    let text = place.read("game.2048").replacen("\"note\":null", &format!("\"note\":\"{evil}\""), 1);
    place.write("evil.2048", &forged(&text.replacen("\"random\"", &format!("\"{evil}\""), 1)));
    let said = place.ok(&format!("review evil.2048 --judge {JUDGE} --html evil.html"), "");
    assert!(said.contains("<script>") && !said.contains('\u{1b}'), "{said}");
    let page = place.read("evil.html");
    check_elements(&page);
    assert!(!page.contains("<script") && !page.contains('\u{1b}'));
    assert_eq!(
        page.matches("&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot; onload=&#39;x&#39;").count(),
        3
    );
}

#[test]
fn a_quit_is_not_a_move() {
    let place = place_with_a_game();
    place.ok("play --seed 3 --save quit.2048", "a\ns\nd\nq\n");
    let review = json(&place.ok(&format!("review quit.2048 --judge {JUDGE} --json"), ""));
    let moves = review["moves"].as_array().expect("moves");
    let last = moves.last().expect("the quit");
    assert_eq!(
        (&last["played"], &last["verdict"], &last["loss"]),
        (&"quit".into(), &"quit".into(), &Value::Null)
    );
    assert_eq!(review["summary"]["moves"], moves.len() - 1);
    assert!(place.ok(&format!("review quit.2048 --judge {JUDGE}"), "").contains("the player quit with "));
}

#[test]
fn unsuitable_judges_and_replays_are_refused() {
    let place = place_with_a_game();
    place.ok("watch random --seed 3 --size 5x5 --max-moves 4 --every 0 --save large.2048", "");
    place.ok("watch random --seed 3 --board 3%203%200%200/0%200%200%200/0%200%200%200/0%200%200%202 --max-moves 4 --every 0 --save odd.2048", "");
    for (line, says) in [
        ("game.2048 --judge greedy", "greedy cannot be the judge: its values on this board are preferences"),
        ("game.2048 --judge random", "random cannot be the judge: its values on this board are preferences"),
        ("game.2048 --judge clairvoyant", "clairvoyant cannot be the judge: it knows the coming tiles"),
        ("game.2048 --judge human", "a person has no values in points"),
        ("game.2048 --judge nobody", "there is no player 'nobody'"),
        ("large.2048 --judge JUDGE", "JUDGE cannot be the judge: it cannot judge this game: "),
        ("large.2048 --judge auto", "auto cannot be the judge: its values on this board are preferences"),
        ("odd.2048 --judge JUDGE", "JUDGE cannot be the judge: it cannot judge this game: "),
        ("missing.2048", "cannot read missing.2048"),
    ] {
        let said = place.fails(&format!("review {}", line.replace("JUDGE", JUDGE)), "", 2);
        assert!(said.starts_with(&says.replace("JUDGE", JUDGE)), "{line}: {said}");
    }
    place.ok("watch random --seed 3 --max-moves 4 --every 0 --save short.2048", "");
    let text = place.read("short.2048");
    let step = text.lines().nth(2).expect("steps")[..3].to_owned();
    place.write("forged.2048", &forged(&text.replacen(&step, &format!("{step} {step} {step} {step}"), 1)));
    let said = place.fails(&format!("review forged.2048 --judge {JUDGE}"), "", 2);
    assert!(said.starts_with("forged.2048: the replay is not valid: step "), "{said}");
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_shows_what_was_judged() {
    let place = place_with_a_game();
    place.ok("watch greedy --seed 7 --every 0 --save greedy.2048", "");
    // On a slow machine a second may not be enough to judge one move.
    for wait in [1, 2, 4, 8] {
        let review =
            place.start(&format!("review greedy.2048 --judge {JUDGE},time=200ms --json --threads 1"));
        support::wait_until_it_listens(&review);
        std::thread::sleep(std::time::Duration::from_secs(wait));
        support::interrupt(&review);
        let ran = support::ended(review);
        assert_eq!(ran.code, Some(130), "{}", ran.err);
        let judged =
            ran.err.strip_prefix("lab2048: interrupted after ").and_then(|rest| rest.split(' ').next());
        let judged: usize = judged.and_then(|number| number.parse().ok()).expect("a number of moves");
        if judged > 0 {
            let review = json(&ran.out);
            let moves = review["moves"].as_array().map(Vec::len);
            assert_eq!((moves, &review["complete"]), (Some(judged), &false.into()));
            return;
        }
    }
    panic!("no move is judged");
}
