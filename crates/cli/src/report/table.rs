//! A table of texts in several output formats.

/// A table: a head and rows of the same length. The first column holds names. Columns of names or
/// words are aligned left, all others right.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
    words: Vec<usize>,
}

impl Table {
    /// A table without rows.
    pub(crate) fn new<T: Into<String>>(head: impl IntoIterator<Item = T>) -> Table {
        Table { head: head.into_iter().map(Into::into).collect(), rows: Vec::new(), words: vec![0] }
    }

    /// Marks a column as words, which are aligned left.
    #[must_use]
    pub(crate) fn with_words(mut self, column: usize) -> Table {
        self.words.push(column);
        self
    }

    /// Adds a row.
    pub(crate) fn push(&mut self, row: Vec<String>) {
        debug_assert_eq!(row.len(), self.head.len());
        self.rows.push(row);
    }

    fn lines(&self) -> impl Iterator<Item = &Vec<String>> {
        std::iter::once(&self.head).chain(&self.rows)
    }

    /// Aligned columns, for a terminal.
    pub(crate) fn to_text(&self) -> String {
        let width = |column: usize| self.lines().map(|line| line[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.head.len()).map(width).collect();
        let mut text = String::new();
        for line in self.lines() {
            let cells = line.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
                if self.words.contains(&column) {
                    format!("{cell:<width$}")
                } else {
                    format!("{cell:>width$}")
                }
            });
            text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
            text.push('\n');
        }
        text
    }

    /// A Markdown table.
    pub(crate) fn to_markdown(&self) -> String {
        let row = |cells: &[String]| {
            let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let rule = |column: usize| if self.words.contains(&column) { "---|" } else { "---:|" };
        let mut text = row(&self.head);
        text.push('|');
        text.extend((0..self.head.len()).map(rule));
        text.push('\n');
        text.extend(self.rows.iter().map(|line| row(line)));
        text
    }

    /// Comma-separated values as in RFC 4180, but with LF line ends.
    pub(crate) fn to_csv(&self) -> String {
        let field = |cell: &String| {
            if cell.contains(['"', ',', '\n', '\r']) {
                format!("\"{}\"", cell.replace('"', "\"\""))
            } else {
                cell.clone()
            }
        };
        self.lines().map(|line| line.iter().map(field).collect::<Vec<_>>().join(",") + "\n").collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(["player", "mean", "says"]).with_words(2);
        table.push(vec!["random".to_owned(), "1,094.2 ± 4.1".to_owned(), "a|b".to_owned()]);
        table.push(vec!["x:say=\"hi, you\"".to_owned(), "7".to_owned(), String::new()]);
        table
    }

    #[test]
    fn text_stands_in_columns() {
        assert_eq!(
            table().to_text(),
            "player                    mean  says\n\
             random           1,094.2 ± 4.1  a|b\n\
             x:say=\"hi, you\"              7\n"
        );
    }

    #[test]
    fn markdown_and_csv_escape_what_would_end_a_cell() {
        assert_eq!(
            table().to_markdown(),
            "| player | mean | says |\n|---|---:|---|\n| random | 1,094.2 ± 4.1 | a\\|b |\n\
             | x:say=\"hi, you\" | 7 |  |\n"
        );
        assert_eq!(
            table().to_csv(),
            "player,mean,says\nrandom,\"1,094.2 ± 4.1\",a|b\n\"x:say=\"\"hi, you\"\"\",7,\n"
        );
    }
}
