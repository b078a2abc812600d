//! What the server sends: replies, problems as JSON, and bodies from memory or from a file.

use std::fs::File;
use std::io::{self, Read as _};
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame, SizeHint};
use hyper::header::{CONTENT_TYPE, ETAG, HeaderName, HeaderValue, IF_NONE_MATCH};
use hyper::{HeaderMap, Response, StatusCode};
use serde_json::{Value, json};

/// A reply of the server.
pub(super) type Reply = Response<Content>;

/// A request that is not answered as it was meant, with one sentence for a person.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) status: StatusCode,
    sentence: String,
    header: Option<(HeaderName, HeaderValue)>,
}

impl Problem {
    pub(super) fn new(status: StatusCode, sentence: impl Into<String>) -> Problem {
        Problem { status, sentence: sentence.into(), header: None }
    }

    /// With a header that says what to do.
    pub(super) fn with(self, name: HeaderName, value: HeaderValue) -> Problem {
        Problem { header: Some((name, value)), ..self }
    }

    /// The request is wrong.
    pub(super) fn bad(sentence: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, sentence)
    }

    /// There is nothing under this address.
    pub(super) fn nothing() -> Problem {
        Problem::new(StatusCode::NOT_FOUND, "there is nothing at this address")
    }

    pub(super) fn reply(self) -> Reply {
        let mut reply = json_reply(self.status, &json!({ "error": self.sentence }));
        if let Some((name, value)) = self.header {
            reply.headers_mut().insert(name, value);
        }
        reply
    }
}

/// A reply with JSON.
pub(super) fn json_reply(status: StatusCode, value: &Value) -> Reply {
    let text = Bytes::from(format!("{value}\n"));
    let mut reply = Response::new(Content::Memory(Some(text)));
    *reply.status_mut() = status;
    reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    reply
}

/// The MIME type of a file, by its ending.
pub(super) fn mime_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "gif" => "image/gif",
        "woff2" => "font/woff2",
        "jsonl" => "application/x-ndjson",
        "csv" => "text/csv; charset=utf-8",
        // A file without an ending is a licence.
        "2048" | "txt" | "md" | "gp" | "program" | "" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// A reply with a file. If the client has this version already (`If-None-Match`), it is not sent
/// again.
pub(super) fn file_reply(request: &HeaderMap, mime: &'static str, tag: &str, content: Content) -> Reply {
    let tag = format!("\"{tag}\"");
    let known = request.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let mut known = known.flat_map(|value| value.split(','));
    let unchanged = known.any(|known| {
        let known = known.trim();
        known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag
    });
    let mut reply = Response::new(if unchanged { Content::empty() } else { content });
    if unchanged {
        *reply.status_mut() = StatusCode::NOT_MODIFIED;
    }
    reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(mime));
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        reply.headers_mut().insert(ETAG, tag);
    }
    reply
}

/// The body of a reply.
#[derive(Debug)]
pub(super) enum Content {
    /// Bytes that are sent at once; `None` after that.
    Memory(Option<Bytes>),
    /// A file, read piece by piece as the client takes it.
    File {
        /// The open file.
        file: File,
        /// The number of bytes still to send.
        left: u64,
    },
}

/// The number of bytes that are read from a file at a time.
const PIECE: u64 = 64 * 1024;

impl Content {
    pub(super) fn empty() -> Content {
        Content::Memory(None)
    }

    /// The whole file as it is now.
    pub(super) fn file(file: File) -> io::Result<Content> {
        let left = file.metadata()?.len();
        Ok(Content::File { file, left })
    }

    /// The next piece of a file. A file that has become shorter is an error, which ends the
    /// connection, so that the client notices.
    fn piece(file: &mut File, left: &mut u64) -> io::Result<Bytes> {
        let mut piece = Vec::with_capacity(PIECE.min(*left) as usize);
        file.take(PIECE.min(*left)).read_to_end(&mut piece)?;
        if piece.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        *left -= piece.len() as u64;
        Ok(piece.into())
    }
}

impl Body for Content {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        Poll::Ready(match &mut *self {
            Content::Memory(bytes) => bytes.take().map(|bytes| Ok(Frame::data(bytes))),
            Content::File { left: 0, .. } => None,
            Content::File { file, left } => Some(Content::piece(file, left).map(Frame::data)),
        })
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Content::Memory(None) | Content::File { left: 0, .. })
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(match self {
            Content::Memory(bytes) => bytes.as_ref().map_or(0, |bytes| bytes.len() as u64),
            Content::File { left, .. } => *left,
        })
    }
}
