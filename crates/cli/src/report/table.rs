//! A table of texts in several output formats.

use super::lines::wrapped;

/// The blanks between two columns.
pub(crate) const GAP: usize = 2;

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

    /// Aligned columns in lines of any length.
    pub(crate) fn to_text(&self) -> String {
        self.to_text_within(usize::MAX)
    }

    /// Aligned columns in lines of at most this width, for a terminal. Columns that do not fit
    /// follow in further blocks, which repeat the first column. If a single column does not fit,
    /// the table becomes a list.
    pub(crate) fn to_text_within(&self, most: usize) -> String {
        let widths = self.widths();
        let first = widths.first().copied().unwrap_or(0);
        if widths.iter().skip(1).any(|width| first + GAP + width > most) {
            return self.list(most);
        }
        let mut blocks: Vec<Vec<usize>> = Vec::new();
        let mut taken = 0;
        for (column, width) in widths.iter().enumerate().skip(1) {
            if taken == 0 || taken + GAP + width > most {
                blocks.push(vec![0]);
                taken = first;
            }
            taken += GAP + width;
            blocks.last_mut().into_iter().for_each(|block| block.push(column));
        }
        if blocks.is_empty() {
            blocks.push(vec![0]);
        }
        let blocks: Vec<String> = blocks.iter().map(|columns| self.block(columns, &widths)).collect();
        blocks.join("\n")
    }

    /// Every row as its name, then one line for each column.
    fn list(&self, most: usize) -> String {
        let mut text = String::new();
        for row in &self.rows {
            let cells = self.head.iter().zip(row).enumerate().filter(|(_, (_, cell))| !cell.is_empty());
            for (column, (head, cell)) in cells {
                let line = match (column, head.as_str()) {
                    (0, head) => wrapped(&format!("{head} {cell}"), most, GAP),
                    (_, "") => wrapped(&format!("  {cell}"), most, 2 * GAP),
                    (_, head) => wrapped(&format!("  {head}: {cell}"), most, 2 * GAP),
                };
                text.push_str(&line);
                text.push('\n');
            }
        }
        text
    }

    /// The width of the lines if there is no limit.
    pub(crate) fn text_width(&self) -> usize {
        self.widths().iter().map(|width| width + GAP).sum::<usize>().saturating_sub(GAP)
    }

    /// The width of each column.
    fn widths(&self) -> Vec<usize> {
        let width = |column: usize| self.lines().map(|line| line[column].chars().count()).max().unwrap_or(0);
        (0..self.head.len()).map(width).collect()
    }

    /// Some columns, aligned.
    fn block(&self, columns: &[usize], widths: &[usize]) -> String {
        let mut text = String::new();
        for line in self.lines() {
            let cells = columns.iter().map(|&column| {
                let (cell, width) = (&line[column], widths[column]);
                if self.words.contains(&column) {
                    format!("{cell:<width$}")
                } else {
                    format!("{cell:>width$}")
                }
            });
            text.push_str(cells.collect::<Vec<_>>().join(&" ".repeat(GAP)).trim_end());
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
        self.lines().map(|line| csv_line(line.iter().map(String::as_str))).collect()
    }
}

/// A line of comma-separated values.
pub(crate) fn csv_line<'a>(cells: impl IntoIterator<Item = &'a str>) -> String {
    let field = |cell: &str| {
        if cell.contains(['"', ',', '\n', '\r']) {
            format!("\"{}\"", cell.replace('"', "\"\""))
        } else {
            cell.to_owned()
        }
    };
    cells.into_iter().map(field).collect::<Vec<_>>().join(",") + "\n"
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
    fn columns_that_do_not_fit_follow_below() {
        let table = table();
        assert_eq!(table.text_width(), 36);
        assert_eq!(table.to_text_within(36), table.to_text());
        assert_eq!(
            table.to_text_within(35),
            "player                    mean\n\
             random           1,094.2 ± 4.1\n\
             x:say=\"hi, you\"              7\n\
             \n\
             player           says\n\
             random           a|b\n\
             x:say=\"hi, you\"\n"
        );
        assert_eq!(Table::new(["alone"]).to_text_within(80), "alone\n");
    }

    #[test]
    fn a_table_becomes_a_list_where_no_column_fits() {
        let table = table();
        assert_eq!(table.to_text_within(30).lines().count(), 7, "this is just wide enough");
        assert_eq!(
            table.to_text_within(29),
            "player random\n  mean: 1,094.2 ± 4.1\n  says: a|b\nplayer x:say=\"hi, you\"\n  mean: 7\n"
        );
        let narrow = table.to_text_within(14);
        assert_eq!(
            narrow,
            "player random\n  mean:\n    1,094.2 ±\n    4.1\n  says: a|b\n\
             player\n  x:say=\"hi,\n  you\"\n  mean: 7\n"
        );
        table.to_text_within(0);
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
