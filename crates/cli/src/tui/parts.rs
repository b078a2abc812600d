//! Building blocks of screens: the layout of board and panel, figures, bars, keys, boxes.

use std::time::Duration;

use lab2048::board::{Board, Direction, Size};
use lab2048::game::{Action, Decision, MoveValue, Unit};
use ratatui::Frame;
use ratatui::layout::{Alignment, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Clear, Padding, Paragraph, Wrap};

use super::board::{self, Scale};
use super::ending::Message;
use super::motion::Moving;
use super::theme::Theme;
use crate::report::{percent, whole};
use crate::show;

/// The layout of a screen with a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parts {
    /// The board.
    pub(super) board: Rect,
    /// The size of its tiles.
    pub(super) scale: Scale,
    /// The area for figures and values.
    pub(super) panel: Rect,
    /// Whether the panel is beside the board, with many lines, or above it, with a few.
    pub(super) beside: bool,
    /// The line for messages.
    pub(super) message: Rect,
    /// The line that lists the keys.
    pub(super) keys: Rect,
}

/// The columns of a panel beside a board.
const PANEL: u16 = 30;
/// The minimum number of lines of a panel beside a board, if the window has them.
const PANEL_LINES: u16 = 20;
/// The lines of a panel above a board.
const LINES: u16 = 2;
/// The lines for message and keys.
const FOOT: u16 = 2;

impl Parts {
    /// The parts of a window with a board. A window that is too small shows a message instead.
    pub(super) fn or_too_small(frame: &mut Frame<'_>, size: Size, leave: &str) -> Option<Parts> {
        let parts = Parts::of(frame.area(), size);
        parts.inspect_err(|&needs| too_small(frame, &format!("a board of {size}"), needs, leave)).ok()
    }

    /// The parts of a window whose board has been drawn. A window that is too small shows a message
    /// instead.
    pub(super) fn with_board(
        frame: &mut Frame<'_>,
        theme: Theme,
        board: &Board,
        moving: Option<&Moving>,
    ) -> Option<Parts> {
        let parts = Parts::or_too_small(frame, board.size(), "q leaves")?;
        board::paint(frame.buffer_mut(), parts.board, parts.scale, theme, board, moving);
        Some(parts)
    }

    /// Divides an area. The error is the width and height that it would need.
    pub(super) fn of(area: Rect, size: Size) -> Result<Parts, (u16, u16)> {
        let beside =
            Scale::fitting(size, area.width.saturating_sub(PANEL + 2), area.height.saturating_sub(FOOT));
        let below = Scale::fitting(size, area.width, area.height.saturating_sub(FOOT + LINES));
        let (least_width, least_height) = Scale::least(size);
        let (scale, beside) = match (beside, below) {
            // Figures and values are more important than large tiles. A growing window never loses
            // them.
            (Some(scale), _) => (scale, true),
            (None, Some(scale)) => (scale, false),
            (None, None) => return Err((least_width, least_height + FOOT + LINES)),
        };
        let (width, height) = scale.board(size);
        let row = |y: u16| Rect { y: area.y + y, height: 1, ..area };
        let (message, keys) = (row(area.height - 2), row(area.height - 1));
        let space = area.height - FOOT;
        let (board, panel) = if beside {
            let panel = (area.width - width - 2).min(PANEL + 10);
            let left = area.x + (area.width - width - 2 - panel) / 2;
            let top = area.y + (space - height) / 2;
            let board = Rect { x: left, y: top, width, height };
            // If the board is low, the panel begins above its top.
            let lines = (space - (top - area.y)).max(PANEL_LINES.min(space));
            let panel = Rect { x: left + width + 2, y: area.y + space - lines, width: panel, height: lines };
            (board, panel)
        } else {
            let left = area.x + (area.width - width) / 2;
            let top = area.y + LINES + (space - LINES - height) / 2;
            (Rect { x: left, y: top, width, height }, Rect { y: top - LINES, height: LINES, ..area })
        };
        Ok(Parts { board, scale, panel, beside, message, keys })
    }

    /// Draws centered lines in place of a panel above the board, also in free rows above the panel.
    /// If there is no room for all lines, the first ones are left out.
    pub(super) fn draw_above(&self, frame: &mut Frame<'_>, lines: Vec<Line<'_>>) {
        let rows = (lines.len() as u16).min(self.board.y - frame.area().y);
        let lines: Vec<Line<'_>> = lines.into_iter().map(Line::centered).collect();
        let left_out = (lines.len() as u16).saturating_sub(rows);
        let area = Rect { y: self.board.y - rows, height: rows, ..self.panel };
        frame.render_widget(Paragraph::new(lines).scroll((left_out, 0)), area);
    }

    /// Everything beside the board, for a box that must not cover the board.
    pub(super) fn side(&self) -> Rect {
        let x = self.board.right() + 1;
        let width = self.keys.right().saturating_sub(x);
        Rect { x, y: 0, width, height: self.message.y }
    }
}

/// Shows how large the window must be, and how to leave.
pub(super) fn too_small(frame: &mut Frame<'_>, what: &str, (width, height): (u16, u16), leave: &str) {
    let area = frame.area();
    let text = format!(
        "{what} needs a window of {width} columns and {height} rows; this one has {} and {}; {leave}",
        area.width, area.height
    );
    in_the_middle(frame, &text);
}

/// Shows a text in the middle of the window, wrapped as needed.
pub(super) fn in_the_middle(frame: &mut Frame<'_>, text: &str) {
    let area = frame.area();
    let lines = wrapped(text, area.width, area.height);
    let height = (lines.len() as u16).min(area.height);
    let middle = Rect { y: area.y + (area.height - height) / 2, height, ..area };
    let lines: Vec<Line<'_>> = lines.into_iter().map(Line::raw).collect();
    frame.render_widget(Paragraph::new(lines).alignment(Alignment::Center), middle);
}

/// A line of keys and what they do, as many as fit. They move together if more of them fit then.
pub(super) fn keys_line(theme: Theme, keys: &[(impl AsRef<str>, &str)], width: u16) -> Line<'static> {
    let length =
        |(key, meaning): &(_, &str)| AsRef::<str>::as_ref(key).chars().count() + 1 + meaning.chars().count();
    let fitting = |gap: usize| {
        let ends = keys.iter().map(length).scan(0, |end, length| {
            *end += length + if *end > 0 { gap } else { 0 };
            Some(*end)
        });
        ends.take_while(|end| *end <= width.into()).count()
    };
    let gap = if fitting(2) > fitting(3) { "  " } else { "   " };
    let mut line = Line::default();
    for (key, meaning) in keys.iter().take(fitting(gap.len())) {
        line.push_span(Span::raw(if line.spans.is_empty() { "" } else { gap }));
        line.push_span(Span::styled(key.as_ref().to_owned(), theme.strong()));
        line.push_span(Span::styled(format!(" {meaning}"), theme.dim()));
    }
    line.alignment(Alignment::Center)
}

/// Draws the bottom of the window: a message and the keys below it. A message of several lines
/// covers the keys and what is above them. Only a very long message is cut at its end.
pub(super) fn foot(
    frame: &mut Frame<'_>,
    theme: Theme,
    said: Option<&Message>,
    keys: &[(impl AsRef<str>, &str)],
) {
    const MOST: u16 = 4;
    let width = frame.area().width;
    let style = if said.is_some_and(|(_, bad)| *bad) { theme.bad() } else { theme.strong() };
    let said = said.map_or_else(Vec::new, |(text, _)| wrapped(text, width, MOST));
    let mut lines: Vec<Line<'_>> =
        said.into_iter().map(|line| Line::styled(line, style).centered()).collect();
    if lines.len() <= 1 {
        lines.push(keys_line(theme, keys, width));
    }
    last_lines(frame, lines);
}

/// Draws lines at the bottom of the window, over everything else.
pub(super) fn last_lines(frame: &mut Frame<'_>, lines: Vec<Line<'_>>) {
    let area = frame.area();
    for (place, line) in lines.into_iter().rev().enumerate() {
        let y = area.bottom().saturating_sub(place as u16 + 1);
        let row = Rect { y, height: 1, ..area }.intersection(area);
        frame.render_widget(Clear, row);
        frame.render_widget(line, row);
    }
}

/// Wraps a text at words into lines of `width` columns. If it needs more than `most` lines, it is
/// cut and ends with an ellipsis.
pub(super) fn wrapped(text: &str, width: u16, most: u16) -> Vec<String> {
    let (width, most) = (usize::from(width.max(1)), usize::from(most.max(1)));
    let length = |text: &str| text.chars().count();
    let mut lines = vec![String::new()];
    for mut word in text.split_whitespace() {
        loop {
            let line = lines.last_mut().expect("there is a first line");
            let gap = if line.is_empty() { "" } else { " " };
            if length(line) + gap.len() + length(word) <= width {
                line.push_str(gap);
                line.push_str(word);
                break;
            }
            if line.is_empty() {
                // The word is longer than a line.
                let end = word.char_indices().nth(width).map_or(word.len(), |(end, _)| end);
                line.push_str(&word[..end]);
                word = &word[end..];
            }
            lines.push(String::new());
        }
    }
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            while length(last) >= width {
                last.pop();
            }
            last.push('…');
        }
    }
    lines
}

/// The end of a long text, where the cursor is.
pub(super) fn end_of(text: &str, most: usize) -> String {
    let length = text.chars().count();
    if length <= most {
        return text.to_owned();
    }
    let end: String = text.chars().skip(length + 1 - most.max(1)).collect();
    format!("…{end}")
}

/// A name and its value.
pub(super) fn figure(theme: Theme, name: &str, value: impl Into<String>) -> Line<'static> {
    wide_figure(theme, name, 8, value)
}

/// A name and its value, with the given number of columns for the name.
pub(super) fn wide_figure(
    theme: Theme,
    name: &str,
    columns: usize,
    value: impl Into<String>,
) -> Line<'static> {
    Line::from(vec![
        Span::styled(format!("{name:<columns$}"), theme.dim()),
        Span::styled(value.into(), theme.strong()),
    ])
}

/// The value of each direction as a bar. The best one fills the space, and the others are shorter
/// by what they lose.
pub(super) fn bars(theme: Theme, decision: &Decision, width: u16) -> Vec<Line<'static>> {
    const NAME: usize = 8;
    const VALUE: usize = 11;
    let room = usize::from(width).saturating_sub(NAME + VALUE).clamp(4, 24);
    let lengths = show::bar_lengths(&decision.values, decision.unit);
    let line = |direction: Direction| {
        let best = decision.action == Action::Move(direction);
        let text = match decision.values[direction.index()] {
            MoveValue::Illegal | MoveValue::Unknown => "-".to_owned(),
            MoveValue::Lost { .. } => "lost".to_owned(),
            MoveValue::Worth(value) => short(value, decision.unit),
        };
        let length = (room as f64 * lengths[direction.index()]).round() as usize;
        let style = if best { theme.best_bar() } else { theme.bar() };
        let name = format!("{} {:<6}", arrow(direction), direction.name());
        Line::from(vec![
            if best { Span::styled(name, theme.strong()) } else { Span::raw(name) },
            Span::styled(format!("{:<room$}", "▆".repeat(length)), style),
            Span::styled(format!("{text:>VALUE$}"), if best { theme.strong() } else { theme.dim() }),
        ])
    };
    Direction::ALL.map(line).to_vec()
}

/// The values in one line, for a panel without room for bars.
pub(super) fn values_line(theme: Theme, decision: &Decision) -> Line<'static> {
    values_of(theme, decision, &Direction::ALL)
}

/// The same in two lines, if one of this width cannot hold them.
pub(super) fn values_lines(theme: Theme, decision: &Decision, width: u16) -> Vec<Line<'static>> {
    let line = values_line(theme, decision);
    if line.width() <= width.into() {
        return vec![line];
    }
    Direction::ALL.chunks(2).map(|some| values_of(theme, decision, some)).collect()
}

fn values_of(theme: Theme, decision: &Decision, directions: &[Direction]) -> Line<'static> {
    let mut line = Line::default();
    for &direction in directions {
        let text = match decision.values[direction.index()] {
            MoveValue::Illegal | MoveValue::Unknown => "-".to_owned(),
            MoveValue::Lost { .. } => "lost".to_owned(),
            MoveValue::Worth(value) => short(value, decision.unit),
        };
        let best = decision.action == Action::Move(direction);
        let style = if best { theme.title() } else { theme.dim() };
        line.push_span(Span::styled(format!("{} {text}  ", arrow(direction)), style));
    }
    line
}

/// The unit of the values, and the search depth.
pub(super) fn depth_text(decision: &Decision) -> String {
    let unit = match decision.unit {
        Unit::Points => "points to come",
        Unit::Chance => "chance of the tile",
        Unit::Preference => "preference",
    };
    match (decision.depth, decision.has_values()) {
        (0, true) => unit.to_owned(),
        (_, false) => String::new(),
        (depth, true) => format!("{unit}, {} ahead", show::count(depth, "move")),
    }
}

/// A value in at most ten characters.
fn short(value: f64, unit: Unit) -> String {
    if unit == Unit::Chance {
        return percent(value);
    }
    let sign = if value < 0.0 { "-" } else { "" };
    match value.abs() {
        size if size < 100.0 => format!("{value:.2}"),
        size if size < 1000.0 => format!("{value:.1}"),
        size if size < 1e7 => format!("{sign}{}", whole(size.round() as u64)),
        _ => format!("{value:.2e}"),
    }
}

pub(super) fn arrow(direction: Direction) -> char {
    match direction {
        Direction::Up => '↑',
        Direction::Right => '→',
        Direction::Down => '↓',
        Direction::Left => '←',
    }
}

/// A time with useful precision: `0.42 s`, `12.3 s`, then like a clock.
pub(super) fn seconds(time: Duration) -> String {
    match time.as_secs_f64() {
        time if time < 10.0 => format!("{time:.2} s"),
        time if time < 60.0 => format!("{time:.1} s"),
        _ => show::clock(time),
    }
}

/// The time between two moves: `turbo`, `300 ms a move`, `2 s a move`.
pub(super) fn pace(time: Duration) -> String {
    match time.as_millis() {
        0 => "turbo".to_owned(),
        millis if millis < 1000 => format!("{millis} ms a move"),
        _ => format!("{} s a move", time.as_secs_f64()),
    }
}

/// A number with a noun: `1 move`, `2,776,065 moves`.
pub(super) fn many(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", whole(number), if number == 1 { "" } else { "s" })
}

/// A rate per second: `3.2`, `1,234`.
pub(super) fn per_second(count: u64, time: Duration) -> String {
    let rate = count as f64 / time.as_secs_f64();
    match rate {
        rate if !rate.is_finite() => "-".to_owned(),
        rate if rate < 100.0 => format!("{rate:.1}"),
        rate => whole(rate.round() as u64),
    }
}

/// The columns and rows inside the largest box in a window.
pub(super) fn room_in_box(window: Rect) -> (u16, u16) {
    /// The longest line that is not wrapped, if the window has room for it.
    const LONGEST: u16 = 60;
    (window.width.saturating_sub(6).clamp(1, LONGEST), window.height.saturating_sub(4))
}

/// Draws a box in the middle of an area, over everything else. If it does not fit, it is in the
/// middle of the window. Long lines are wrapped.
pub(super) fn boxed(frame: &mut Frame<'_>, theme: Theme, within: Rect, title: &str, lines: Vec<Line<'_>>) {
    let (room, _) = room_in_box(frame.area());
    let longest = lines.iter().map(Line::width).max().unwrap_or(0).max(title.chars().count() + 2) as u16;
    let width = longest.min(room) + 6;
    // Wrapping at words may need one more line.
    let rows = |line: &Line<'_>| match line.width() as u16 {
        width if width <= room => 1,
        width => width.div_ceil(room) + 1,
    };
    let height = lines.iter().map(rows).sum::<u16>() + 4;
    let fits = width <= within.width && height <= within.height;
    let within = if fits { within } else { frame.area() };
    let (width, height) = (width.min(within.width), height.min(within.height));
    let area = Rect {
        x: within.x + (within.width - width) / 2,
        y: within.y + (within.height - height) / 2,
        width,
        height,
    };
    let block = Block::bordered()
        .border_type(BorderType::Rounded)
        .border_style(theme.title())
        .title(Line::styled(format!(" {title} "), theme.title()).centered())
        .padding(Padding::new(2, 2, 1, 1));
    frame.render_widget(Clear, area);
    frame.render_widget(Paragraph::new(lines).wrap(Wrap { trim: false }).block(block), area);
}

#[cfg(test)]
mod tests {
    use super::super::theme::Colours;
    use super::*;

    #[test]
    fn the_panel_stands_beside_the_board_or_above_it() {
        let parts = |width, height| Parts::of(Rect::new(0, 0, width, height), Size::FOUR);
        let usual = parts(80, 24).unwrap();
        assert!(usual.beside && usual.board.height == 21);
        assert!(!parts(50, 24).unwrap().beside);
        assert_eq!(parts(20, 24), Err((29, 13)));
        assert_eq!(parts(80, 5), Err((29, 13)));
        assert!(parts(29, 13).is_ok());
        // Every window that is large enough contains all parts, and none overlaps another.
        for size in [Size::new(2, 2), Size::new(4, 4), Size::new(2, 8), Size::new(8, 8)].map(Result::unwrap) {
            for width in (20..200).step_by(3) {
                for height in 8..70 {
                    let area = Rect::new(0, 0, width, height);
                    let Ok(parts) = Parts::of(area, size) else { continue };
                    for part in [parts.board, parts.panel, parts.message, parts.keys] {
                        assert_eq!(part.intersection(area), part, "{width}x{height}");
                    }
                    assert!(!parts.board.intersects(parts.panel), "{width}x{height}");
                    assert!(parts.board.bottom() <= parts.message.y);
                }
            }
        }
    }

    #[test]
    fn a_window_that_grows_keeps_its_panel() {
        let beside = |size: &str, width, height| {
            let parts = Parts::of(Rect::new(0, 0, width, height), size.parse().unwrap());
            parts.is_ok_and(|parts| parts.beside && parts.panel.height >= PANEL_LINES.min(height - FOOT))
        };
        for (size, width, height) in
            [("3x5", 80, 24), ("3x5", 90, 30), ("3x5", 100, 32), ("3x6", 120, 40), ("2x5", 80, 24)]
        {
            assert!(beside(size, width, height), "{size} in {width}x{height}");
        }
        for size in ["2x2", "2x8", "3x5", "4x4", "8x2", "8x8"] {
            for width in (60..200).step_by(7) {
                for height in (12..70).step_by(3) {
                    let larger = [(width + 7, height), (width, height + 3)];
                    let grown = larger.map(|(width, height)| beside(size, width, height));
                    assert!(!beside(size, width, height) || grown == [true; 2], "{size}: {width}x{height}");
                }
            }
        }
    }

    #[test]
    fn texts_are_wrapped_by_words_and_cut_only_at_their_end() {
        let lines = |text: &str, width, most| wrapped(text, width, most).join("|");
        assert_eq!(lines("one two three", 80, 4), "one two three");
        assert_eq!(lines("one two three", 7, 4), "one two|three");
        assert_eq!(lines("one two three", 4, 2), "one|two…");
        assert_eq!(lines("one two three", 3, 2), "one|tw…");
        assert_eq!(lines("a_very_long_word is cut", 6, 4), "a_very|_long_|word|is cut");
        assert_eq!(lines("äöü äöü", 1, 9), "ä|ö|ü|ä|ö|ü");
        assert_eq!(lines("", 0, 0), "");
    }

    #[test]
    fn times_and_rates() {
        assert_eq!(seconds(Duration::from_millis(1234)), "1.23 s");
        assert_eq!(seconds(Duration::from_secs(75)), "1:15");
        assert_eq!(per_second(10, Duration::from_secs(4)), "2.5");
        assert_eq!(per_second(10_000_000, Duration::from_secs(4)), "2,500,000");
        assert_eq!(per_second(0, Duration::ZERO), "-");
        assert_eq!([many(1, "move"), many(2_776_065, "move")], ["1 move", "2,776,065 moves"]);
        let paces = [0, 300, 1500, 2000].map(|millis| pace(Duration::from_millis(millis)));
        assert_eq!(paces, ["turbo", "300 ms a move", "1.5 s a move", "2 s a move"]);
    }

    #[test]
    fn values_in_few_letters() {
        let texts =
            [0.0, -1.5, 123.45, 84_409.5, -9_999_999.0, 3e9, -1e300].map(|value| short(value, Unit::Points));
        assert_eq!(texts, ["0.00", "-1.50", "123.5", "84,410", "-9,999,999", "3.00e9", "-1.00e300"]);
        assert!(texts.iter().all(|text| text.len() <= 10));
    }

    #[test]
    fn bars_by_what_a_move_loses() {
        let theme = Theme { colours: Colours::None };
        let values = [
            MoveValue::Worth(1000.0),
            MoveValue::Illegal,
            MoveValue::Worth(500.0),
            MoveValue::Lost { turns: 3 },
        ];
        let decision = Decision::best_of(values, Unit::Points, 3, 9).unwrap();
        let lines: Vec<String> = bars(theme, &decision, 30).iter().map(ToString::to_string).collect();
        assert_eq!(lines[0], format!("↑ up    {}      1,000", "▆".repeat(11)));
        assert_eq!(lines[1], format!("→ right {}-", " ".repeat(21)));
        assert_eq!(lines[2], format!("↓ down  ▆▆▆▆▆▆{}500.0", " ".repeat(11)));
        assert!(lines[3].ends_with("lost"));
        assert_eq!(depth_text(&decision), "points to come, 3 moves ahead");
        let values = [241_332.0, 241_399.0, 241_332.0, 240_001.0].map(MoveValue::Worth);
        let decision = Decision::best_of(values, Unit::Points, 3, 9).unwrap();
        let lines = |width| {
            let lines = values_lines(theme, &decision, width);
            lines.iter().map(|line| line.to_string().trim_end().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(lines(60), ["↑ 241,332  → 241,399  ↓ 241,332  ← 240,001"]);
        assert_eq!(lines(34), ["↑ 241,332  → 241,399", "↓ 241,332  ← 240,001"]);
    }

    #[test]
    fn close_values_have_bars_of_nearly_the_same_length_in_every_unit() {
        let theme = Theme { colours: Colours::None };
        let lengths = |values: [f64; 4], unit| {
            let decision = Decision::best_of(values.map(MoveValue::Worth), unit, 1, 4).unwrap();
            let lines = bars(theme, &decision, 43);
            lines.iter().map(|line| line.to_string().matches('▆').count()).collect::<Vec<_>>()
        };
        for unit in [Unit::Points, Unit::Preference] {
            // 0.6% worse, half, nothing.
            assert_eq!(lengths([1000.0, 994.0, 500.0, 0.0], unit), [24, 24, 12, 0], "{unit}");
            assert_eq!(lengths([-1000.0, -1006.0, -1012.0, -2000.0], unit), [24, 24, 24, 12], "{unit}");
            // From the worst one on if values are on both sides of zero.
            assert_eq!(lengths([1000.0, 994.0, -1000.0, 0.0], unit), [24, 24, 0, 12], "{unit}");
        }
        assert_eq!(lengths([0.5, 0.497, 0.25, 0.0], Unit::Chance), [24, 24, 12, 0]);
        assert_eq!(lengths([0.0; 4], Unit::Chance), [0; 4], "no chance has no bar");
        assert_eq!(lengths([0.0; 4], Unit::Preference), [24; 4]);
    }
}
