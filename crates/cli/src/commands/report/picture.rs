//! The pictures of a report.

use lab2048_draw::plot::{Gap, Page, Reached, Sample};

use super::Plots;
use super::summary::{Group, Summary, rules_words};
use crate::failure::{Failure, Outcome};
use crate::report::{decimal, mean, whole};
use crate::show::count;

/// Draws a picture as SVG. All files must have the same rules.
pub(super) fn draw(summary: &Summary, plots: Plots) -> Outcome<String> {
    let [group] = &summary.groups[..] else {
        let rules: Vec<String> = summary.groups.iter().map(|group| rules_words(&group.setup)).collect();
        return Err(Failure::BadInput(format!(
            "the files have different rules ({}); a picture needs files with the same rules",
            rules.join("; ")
        )));
    };
    if plots.differences && !plots.all && group.differences.is_empty() {
        return Err(Failure::BadInput(
            "there is only one player, so there is no difference to draw".to_owned(),
        ));
    }
    let games: u64 = group.players.iter().map(|player| player.games).sum();
    let title = format!("{} games of {}", whole(games), count(group.players.len(), "player"));
    let mut page = Page::new(&title, &[rules_words(&group.setup)]);
    if plots.scores || plots.cumulative {
        scores(&mut page, group, plots);
    }
    if plots.tiles {
        tiles(&mut page, group);
    }
    if plots.differences && !group.differences.is_empty() {
        differences(&mut page, group);
    }
    Ok(page.finish())
}

fn scores(page: &mut Page, group: &Group, plots: Plots) {
    let words: Vec<String> = group
        .players
        .iter()
        .map(|player| format!("{} games, mean {}", whole(player.games), mean(player.mean, player.interval)))
        .collect();
    let samples: Vec<Sample<'_>> = group
        .players
        .iter()
        .zip(group.tally.scores())
        .zip(&words)
        .map(|((player, scores), words)| Sample { name: &player.player, scores, mean: player.mean, words })
        .collect();
    if plots.scores {
        page.histograms(&samples);
    }
    if plots.cumulative {
        page.cumulative(&samples);
    }
}

fn tiles(page: &mut Page, group: &Group) {
    let names: Vec<&str> = group.players.iter().map(|player| player.player.as_str()).collect();
    let results = group.plain();
    let reached = results.shown_tiles().filter_map(|index| {
        let rates = results.rates(index);
        let tile = rates.first()?.tile;
        Some(Reached { tile, rates: rates.iter().map(|rate| (rate.rate, rate.interval)).collect() })
    });
    page.tiles(&names, &reached.collect::<Vec<_>>());
}

fn differences(page: &mut Page, group: &Group) {
    let words: Vec<(String, String)> = group
        .differences
        .iter()
        .map(|difference| {
            let interval = difference
                .interval
                .map(|interval| format!(" ({} to {})", decimal(interval.low), decimal(interval.high)));
            let name = format!("{} minus {}", difference.first, difference.second);
            (name, decimal(difference.mean) + &interval.unwrap_or_default())
        })
        .collect();
    let gaps: Vec<Gap<'_>> = group
        .differences
        .iter()
        .zip(&words)
        .map(|(difference, (name, words))| Gap {
            name,
            mean: difference.mean,
            interval: difference.interval,
            is_shown: difference.better.is_some(),
            words,
        })
        .collect();
    page.differences(&gaps);
}
