//! The fields of a question, from the query of an address or from a JSON body.

use std::collections::BTreeMap;

use serde_json::Value;

use super::content::Problem;

/// Fields by name, each given once. All values are texts.
#[derive(Debug, PartialEq)]
pub(super) struct Fields(BTreeMap<String, String>);

impl Fields {
    /// The fields of a query like `board=2+0/0+2&player=greedy`.
    pub(super) fn of_query(query: &str) -> Result<Fields, Problem> {
        let mut fields = BTreeMap::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (name, value) = (decoded(name)?, decoded(value)?);
            if let Some(name) = fields.insert(name.clone(), value).map(|_| name) {
                return Err(Problem::bad(format!("'{}' is given twice", shown(&name))));
            }
        }
        Ok(Fields(fields))
    }

    /// The fields of a JSON object. Numbers and arrays become the text that a query would have;
    /// `null` stands for a missing field.
    pub(super) fn of_json(body: &[u8]) -> Result<Fields, Problem> {
        let value: Value = serde_json::from_slice(body)
            .map_err(|error| Problem::bad(format!("the body is not JSON: {error}")))?;
        let Value::Object(object) = value else {
            return Err(Problem::bad("the body must be a JSON object, like {\"board\": \"2 0/0 2\"}"));
        };
        let mut fields = BTreeMap::new();
        for (name, value) in object {
            let text = match value {
                Value::Null => continue,
                Value::String(text) => text,
                Value::Number(number) => number.to_string(),
                Value::Array(_) if name == "board" => value.to_string(),
                _ => return Err(Problem::bad(format!("'{}' must be a text or a number", shown(&name)))),
            };
            fields.insert(name, text);
        }
        Ok(Fields(fields))
    }

    /// Refuses fields that are not among these.
    pub(super) fn only(self, names: &[&str]) -> Result<Fields, Problem> {
        match self.0.keys().find(|name| !names.contains(&name.as_str())) {
            None => Ok(self),
            Some(name) => Err(Problem::bad(format!(
                "there is no parameter '{}'; there are: {}",
                shown(name),
                names.join(", ")
            ))),
        }
    }

    /// The text of a field.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// The value of a field, if it is given.
    pub(super) fn parsed<T, E: ToString>(
        &self,
        name: &str,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Result<Option<T>, Problem> {
        let Some(text) = self.text(name) else { return Ok(None) };
        let wrong = |error: E| Problem::bad(format!("{name}={}: {}", shown(text), error.to_string()));
        parse(text).map(Some).map_err(wrong)
    }
}

/// The beginning of a text from outside, for a message.
fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(40).flat_map(char::escape_debug).collect();
    if text.chars().nth(40).is_some() {
        shown.push_str("...");
    }
    shown
}

/// Decodes `+` and `%xx`.
fn decoded(text: &str) -> Result<String, Problem> {
    let wrong = || Problem::bad("the query of the address is not UTF-8 text in percent encoding");
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let mut digit = || char::from(rest.next()?).to_digit(16);
                let (high, low) = (digit().ok_or_else(wrong)?, digit().ok_or_else(wrong)?);
                (high * 16 + low) as u8
            }
            other => other,
        });
    }
    String::from_utf8(bytes).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_and_a_body_have_the_same_fields() {
        let query = Fields::of_query("board=%5B%5B2%2C0%5D%2C%5B0%2C2%5D%5D&&player=greedy&seed=7").unwrap();
        let body = r#"{"board": [[2, 0], [0, 2]], "player": "greedy", "seed": 7, "four": null}"#;
        assert_eq!(query, Fields::of_json(body.as_bytes()).unwrap());
        assert_eq!(query.text("board"), Some("[[2,0],[0,2]]"));
        assert_eq!(Fields::of_query("a=b+c%2Bd%c3%a4").unwrap().text("a"), Some("b c+dä"));
    }

    #[test]
    fn wrong_fields_are_refused() {
        for query in ["a=%", "a=%2", "a=%zz", "a=%ff", "a=1&a=2", "%ff=1"] {
            assert!(Fields::of_query(query).is_err(), "{query}");
        }
        for body in ["", "{", "[]", "7", r#"{"seed": [1]}"#, r#"{"board": {}}"#, r#"{"board": true}"#] {
            assert!(Fields::of_json(body.as_bytes()).is_err(), "{body}");
        }
        assert!(Fields::of_query("borad=1").unwrap().only(&["board"]).is_err());
    }
}
