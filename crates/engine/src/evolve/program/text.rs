//! Programs as text: s-expressions, as described in `docs/reference/programs.md`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

use super::{
    Dialect, MOST_DEPTH, MOST_NODES, Node, Otherwise, Program, ProgramError, ProgramTree, Sensing, Style,
};
use crate::text::shortened;

/// Why a text is not a program.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ProgramTextError {
    /// The text is wrong at a line.
    #[error("line {line}: {problem}")]
    At {
        /// The line, counted from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// The syntax is right, but the result is not a valid program.
    #[error(transparent)]
    Program(#[from] ProgramError),
}

/// A tree is written on one line up to this width.
const WIDTH: usize = 90;

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.style {
            Style::Directions(Dialect { modulo, sense, otherwise }) => {
                let sense = match sense {
                    Sensing::Merge => "merge",
                    Sensing::Slide => "slide",
                };
                let otherwise = match otherwise {
                    Otherwise::Any => "any",
                    Otherwise::Others => "others",
                };
                write!(f, "(directions (modulo {modulo}) (sense {sense}) (otherwise {otherwise})")?;
            }
            Style::Evaluator => f.write_str("(evaluator")?,
        }
        for (number, tree) in self.trees.iter().enumerate() {
            write!(f, "\n  ({}", self.tree_name(number))?;
            write_tree(f, tree.nodes(), 0, 2)?;
            f.write_str(")")?;
        }
        f.write_str(")\n")
    }
}

/// Writes a tree on one line if it is short enough, otherwise every argument on its own line.
fn write_tree(f: &mut fmt::Formatter<'_>, nodes: &[Node], at: usize, level: usize) -> fmt::Result {
    let flat = flat(nodes, at);
    let indent = 2 * level;
    write!(f, "\n{:indent$}", "")?;
    if flat.len() + indent <= WIDTH {
        return f.write_str(&flat);
    }
    write!(f, "({}", nodes[at].name())?;
    let mut next = at + 1;
    for _ in 0..nodes[at].arity() {
        write_tree(f, nodes, next, level + 1)?;
        next = super::end_of(nodes, next);
    }
    f.write_str(")")
}

/// The subtree at `at` on one line.
fn flat(nodes: &[Node], at: usize) -> String {
    let mut text = String::new();
    push_flat(nodes, at, &mut text);
    text
}

/// Writes the subtree at `at` and returns where it ends.
fn push_flat(nodes: &[Node], at: usize, text: &mut String) -> usize {
    let node = nodes[at];
    if node.is_terminal() {
        text.push_str(&node.name());
        return at + 1;
    }
    text.push('(');
    text.push_str(&node.name());
    let mut next = at + 1;
    for _ in 0..node.arity() {
        text.push(' ');
        next = push_flat(nodes, next, text);
    }
    text.push(')');
    next
}

impl FromStr for Program {
    type Err = ProgramTextError;

    fn from_str(text: &str) -> Result<Program, ProgramTextError> {
        // Some editors begin a file with a byte order mark.
        let mut reader = Reader::new(text.trim_start_matches('\u{feff}'));
        let program = reader.program()?;
        match reader.next() {
            None => Ok(program),
            Some(token) => Err(token.wrong("nothing may follow the program")),
        }
    }
}

impl Serialize for Program {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Program {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Program, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// A bracket or a word with its line number.
#[derive(Clone, Copy, Debug)]
struct Token<'a> {
    text: &'a str,
    line: usize,
}

impl Token<'_> {
    fn wrong(&self, problem: impl Into<String>) -> ProgramTextError {
        ProgramTextError::At { line: self.line, problem: problem.into() }
    }
}

struct Reader<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Reader<'a> {
        Reader { rest: text, line: 1 }
    }

    /// The next token; a comment runs from a semicolon to the end of its line.
    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let trimmed = self.rest.trim_start();
            self.line += self.rest[..self.rest.len() - trimmed.len()].matches('\n').count();
            self.rest = trimmed;
            if !trimmed.starts_with(';') {
                break;
            }
            self.rest = &trimmed[trimmed.find('\n').unwrap_or(trimmed.len())..];
        }
        let first = self.rest.chars().next()?;
        let end = match first {
            '(' | ')' => 1,
            _ => self
                .rest
                .find(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ';'))
                .unwrap_or(self.rest.len()),
        };
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(Token { text, line: self.line })
    }

    fn must(&mut self, wanted: &str) -> Result<Token<'a>, ProgramTextError> {
        let line = self.line;
        self.next().ok_or_else(|| ProgramTextError::At {
            line,
            problem: format!("the text ends where {wanted} should be"),
        })
    }

    fn bracket(&mut self, bracket: &str) -> Result<(), ProgramTextError> {
        let wanted = format!("'{bracket}'");
        let token = self.must(&wanted)?;
        if token.text == bracket {
            return Ok(());
        }
        Err(token.wrong(format!("expected {wanted}, found '{}'", shortened(token.text))))
    }

    fn program(&mut self) -> Result<Program, ProgramTextError> {
        self.bracket("(")?;
        let head = self.must("'directions' or 'evaluator'")?;
        let mut style = match head.text {
            "directions" => Style::Directions(Dialect::DOCUMENT),
            "evaluator" => Style::Evaluator,
            other => {
                let problem = format!("a program is 'directions' or 'evaluator', not '{}'", shortened(other));
                return Err(head.wrong(problem));
            }
        };
        let mut trees: Vec<(Token<'a>, ProgramTree)> = Vec::new();
        let mut said: Vec<&str> = Vec::new();
        loop {
            let token = self.must("')'")?;
            match token.text {
                ")" => break,
                "(" => {}
                other => return Err(token.wrong(format!("expected '(', found '{}'", shortened(other)))),
            }
            let name = self.must("the name of a tree")?;
            if let Style::Directions(dialect) = &mut style
                && matches!(name.text, "modulo" | "sense" | "otherwise")
            {
                let value = self.must("a value")?;
                set(dialect, name.text, value)?;
                if said.contains(&name.text) {
                    return Err(name.wrong(format!("{} is given twice", name.text)));
                }
                said.push(name.text);
            } else {
                trees.push((name, self.tree()?));
            }
            self.bracket(")")?;
        }
        let names: Vec<Token<'a>> = trees.iter().map(|(name, _)| *name).collect();
        let program = Program::new(style, trees.into_iter().map(|(_, tree)| tree).collect())?;
        for (number, name) in names.iter().enumerate() {
            let wanted = program.tree_name(number);
            if name.text != wanted {
                let problem = format!("expected the tree '{wanted}', found '{}'", shortened(name.text));
                return Err(name.wrong(problem));
            }
        }
        Ok(program)
    }

    fn tree(&mut self) -> Result<ProgramTree, ProgramTextError> {
        let mut nodes = Vec::new();
        // Open functions, with the number of missing arguments.
        let mut open: Vec<(Node, usize)> = Vec::new();
        loop {
            let mut token = self.must("a node")?;
            if let (")", Some((function, missing))) = (token.text, open.last()) {
                let (name, all) = (function.name(), function.arity());
                let problem = format!("'{name}' has only {} of its {all} arguments", all - missing);
                return Err(token.wrong(problem));
            }
            let bracketed = token.text == "(";
            if bracketed {
                token = self.must("a function")?;
            }
            if token.text == ")" {
                return Err(token.wrong("a node is missing before ')'"));
            }
            let node = Node::named(token.text)
                .ok_or_else(|| token.wrong(format!("unknown node '{}'", shortened(token.text))))?;
            if bracketed == node.is_terminal() {
                let problem = if bracketed {
                    format!("'{}' has no arguments: write it without brackets", node.name())
                } else {
                    format!("'{}' has arguments: write it in brackets", node.name())
                };
                return Err(token.wrong(problem));
            }
            nodes.push(node);
            if nodes.len() > MOST_NODES {
                return Err(token.wrong(format!("a tree can have at most {MOST_NODES} nodes")));
            }
            if open.len() >= MOST_DEPTH {
                return Err(token.wrong(format!("a tree can have at most {MOST_DEPTH} levels")));
            }
            if let Some((_, rest)) = open.last_mut() {
                *rest -= 1;
            }
            if !node.is_terminal() {
                open.push((node, node.arity()));
            }
            while open.pop_if(|(_, rest)| *rest == 0).is_some() {
                self.bracket(")")?;
            }
            if open.is_empty() {
                return Ok(ProgramTree::new(nodes)?);
            }
        }
    }
}

fn set(dialect: &mut Dialect, name: &str, value: Token<'_>) -> Result<(), ProgramTextError> {
    match (name, value.text) {
        ("modulo", "3") => dialect.modulo = 3,
        ("modulo", "4") => dialect.modulo = 4,
        ("sense", "merge") => dialect.sense = Sensing::Merge,
        ("sense", "slide") => dialect.sense = Sensing::Slide,
        ("otherwise", "any") => dialect.otherwise = Otherwise::Any,
        ("otherwise", "others") => dialect.otherwise = Otherwise::Others,
        (name, other) => {
            let possible = match name {
                "modulo" => "3 or 4",
                "sense" => "merge or slide",
                _ => "any or others",
            };
            return Err(value.wrong(format!("{name} must be {possible}, not '{}'", shortened(other))));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(text: &str) -> Program {
        text.parse().unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    #[test]
    fn what_is_written_is_read_back() {
        for text in [
            "(directions (move up))",
            "(directions (modulo 4) (sense slide) (otherwise others) (move (max (add up right) (random left down))))",
            "(directions (up up) (right (min up left)) (down 1) (left left))".replace("1", "down").as_str(),
            "(evaluator (value (add (lines (if-less first second -1.5 (square edge))) (multiply cell-f 0.001))))",
            "\u{feff}; a comment\n(evaluator (adf0 (add arg0 (multiply arg1 empty))) (adf1 (adf0 arg1 full))\n(value (lines (adf1 mono4 1e3))))",
        ] {
            let program = program(text);
            let written = program.to_string();
            assert_eq!(super::super::Program::from_str(&written).unwrap(), program, "{written}");
        }
    }

    #[test]
    fn long_trees_stand_on_many_lines() {
        let deep = "(add (multiply 123.5 empty) ".repeat(8) + "corner" + &")".repeat(8);
        let program = program(&format!("(evaluator (value {deep}))"));
        let written = program.to_string();
        assert!(written.lines().count() > 8 && written.lines().all(|line| line.len() <= 100), "{written}");
        assert_eq!(written.parse::<Program>().unwrap(), program);
        assert_eq!(
            flat(&[Node::Add, Node::Constant(1.0), Node::Square, Node::Constant(-2.0)], 0),
            "(add 1 (square -2))"
        );
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        for (text, says) in [
            ("", "line 1: the text ends where '(' should be"),
            ("(player)", "line 1: a program is 'directions' or 'evaluator', not 'player'"),
            ("(directions)", "a program of directions must have one tree or four"),
            ("(directions (move up)", "line 1: the text ends where ')' should be"),
            (
                "(directions\n (move empty))",
                "'empty' cannot be used in the tree 'move', which returns a direction",
            ),
            ("(directions\n (move\n(add up)))", "line 3: 'add' has only 1 of its 2 arguments"),
            ("(directions (move ))", "line 1: a node is missing before ')'"),
            ("(directions (modulo 3) (modulo 4) (move up))", "line 1: modulo is given twice"),
            ("(directions (move (add up up up)))", "line 1: expected ')', found 'up'"),
            ("(directions (move (up)))", "line 1: 'up' has no arguments: write it without brackets"),
            ("(directions (move add))", "line 1: 'add' has arguments: write it in brackets"),
            ("(directions (modulo 5) (move up))", "line 1: modulo must be 3 or 4, not '5'"),
            ("(directions (value up))", "line 1: expected the tree 'move', found 'value'"),
            (
                "(evaluator (value first))",
                "'first' cannot be used in the tree 'value', which needs a value of the board there",
            ),
            (
                "(evaluator (value (lines corner)))",
                "'corner' cannot be used in the tree 'value', which needs a value of a line there",
            ),
            (
                "(evaluator (value (lines (adf0 1 2))))",
                "'adf0' cannot be used in the tree 'value', which needs a value of a line there",
            ),
            (
                "(evaluator (adf0 (adf0 1 2)) (value 1))",
                "'adf0' cannot be used in the tree 'adf0', which needs a value of a line there",
            ),
            ("(evaluator (value 1)) 2", "line 1: nothing may follow the program"),
            ("(evaluator (value nan))", "line 1: unknown node 'nan'"),
            ("(evaluator (value 1e999))", "line 1: unknown node '1e999'"),
        ] {
            assert_eq!(text.parse::<Program>().unwrap_err().to_string(), says, "{text}");
        }
    }

    #[test]
    fn endless_texts_are_refused() {
        let deep = format!("(evaluator (value {}1{}))", "(square ".repeat(200), ")".repeat(200));
        assert!(deep.parse::<Program>().unwrap_err().to_string().contains("at most 100 levels"));
        let mut wide = "1".to_owned();
        for _ in 0..14 {
            wide = format!("(add {wide} {wide})");
        }
        let error = format!("(evaluator (value {wide}))").parse::<Program>().unwrap_err();
        assert!(error.to_string().contains("at most 10000 nodes"), "{error}");
        // Four ADFs, each calling the one before it in all of its 64 leaves: 34 million nodes
        // expanded.
        let full = |leaf: &str| (0..6).fold(leaf.to_owned(), |tree, _| format!("(add {tree} {tree})"));
        let adf = |number: usize, leaf: &str| format!("(adf{number} {})", full(leaf));
        let calls = [adf(0, "arg0"), adf(1, "(adf0 1 2)"), adf(2, "(adf1 1 2)"), adf(3, "(adf2 1 2)")];
        let error = format!("(evaluator {} (value 1))", calls.join(" ")).parse::<Program>().unwrap_err();
        let says = "the tree 'adf2' has more than 10000 nodes when the ADFs that it calls are expanded";
        assert_eq!(error.to_string(), says);
        let two = format!("(evaluator {} (value (lines (adf1 1 2))))", calls[..2].join(" "));
        assert!(two.parse::<Program>().is_ok());
    }
}
