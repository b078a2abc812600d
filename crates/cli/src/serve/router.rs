//! From a request to its reply.

use std::sync::Arc;

use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use hyper::http::request::Parts;
use hyper::{HeaderMap, Method, Request, StatusCode};
use lab2048::players::Registry;
use lab2048::text::in_words;
use serde_json::json;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::api::{Question, problem, version};
use super::assets::asset;
use super::content::{Content, Problem, Reply, file_reply, json_reply, mime_type};
use super::files::Folder;
use super::guard::{Guard, secure};
use super::limits::{BODY_TIME, LOADING_TIME, MOST_ADDRESS, MOST_BODY, THINKING_TIME};
use super::networks::{FOLDER, LIST, NetworkFiles, list_json};
use super::practice::{self, Exercise};
use super::query::Fields;
use super::thoughts::Thoughts;
use crate::commands::players;

/// What all requests share.
#[derive(Debug)]
pub(super) struct Router {
    pub(super) guard: Guard,
    /// One registry for the life of the server: networks that were read stay in memory. Players are
    /// built anew for each question, so that the same question has the same answer.
    pub(super) registry: Registry,
    pub(super) thoughts: Thoughts,
    pub(super) networks: NetworkFiles,
    pub(super) folder: Option<Folder>,
}

/// Methods for what can only be read.
const READ: &[Method] = &[Method::GET, Method::HEAD];

/// What takes long before the first thought of a player.
const LOADING: &str = "the network is still being read; ask again later";

/// What takes long after that.
const THINKING: &str =
    "the player is still thinking about this board; choose a smaller depth, or a time limit like time=1s";

/// What takes long the first time a table is used.
const READING: &str = "the table is still being read; ask again later";

/// Methods for questions.
const ASK: &[Method] = &[Method::GET, Method::HEAD, Method::POST];

impl Router {
    /// The reply to a request.
    pub(super) async fn reply(self: &Arc<Self>, request: Request<Incoming>) -> Reply {
        let mut reply = match self.route(request).await {
            Ok(reply) => reply,
            Err(problem) => problem.reply(),
        };
        secure(reply.headers_mut());
        reply
    }

    async fn route(self: &Arc<Self>, request: Request<Incoming>) -> Result<Reply, Problem> {
        let (head, body) = request.into_parts();
        self.guard.check(head.version, &head.uri, &head.headers)?;
        if head.uri.path_and_query().is_some_and(|address| address.as_str().len() > MOST_ADDRESS) {
            let sentence = format!("the address is longer than {MOST_ADDRESS} bytes; use POST");
            return Err(Problem::new(StatusCode::URI_TOO_LONG, sentence));
        }
        let path = head.uri.path().strip_prefix('/').ok_or_else(Problem::nothing)?;
        match path {
            "api/best" => {
                allow(&head, ASK)?;
                self.best(&head, body).await
            }
            "api/practice/draw" => {
                allow(&head, ASK)?;
                self.practise(Exercise::draw(fields(&head, body).await?)?).await
            }
            "api/practice/judge" => {
                allow(&head, ASK)?;
                self.practise(Exercise::judge(fields(&head, body).await?)?).await
            }
            "api/tables" => {
                allow(&head, READ)?;
                let router = Arc::clone(self);
                let list = apart(move || practice::list(router.registry.tables())).await?;
                Ok(json_reply(StatusCode::OK, &list?))
            }
            "api/version" => {
                allow(&head, READ)?;
                Ok(json_reply(StatusCode::OK, &version(self.folder.as_ref())))
            }
            "api/players" => {
                allow(&head, READ)?;
                Ok(json_reply(StatusCode::OK, &players::open_json(&self.registry)))
            }
            "api/files" => {
                allow(&head, READ)?;
                self.files().await
            }
            LIST => {
                allow(&head, READ)?;
                let router = Arc::clone(self);
                let list = apart(move || list_json(&router.networks.list())).await?;
                Ok(json_reply(StatusCode::OK, &list))
            }
            _ => {
                if let Some(id) = path.strip_prefix("api/files/") {
                    return self.file(&head, id.to_owned()).await;
                }
                if let Some(file) = path.strip_prefix(FOLDER) {
                    return self.network(&head, file.to_owned()).await;
                }
                page(&head, path)
            }
        }
    }

    /// The best move on a board.
    async fn best(self: &Arc<Self>, head: &Parts, body: Incoming) -> Result<Reply, Problem> {
        let question = Question::of(fields(head, body).await?, &self.registry)?;
        let question = Arc::new(question);
        if question.needs_network(&self.registry) {
            let (question, registry) = (Arc::clone(&question), self.registry.clone());
            self.thoughts
                .think(LOADING_TIME, LOADING, move || question.load(&registry))
                .await?
                .map_err(problem)?;
        }
        let registry = self.registry.clone();
        let answer = self.thoughts.think(THINKING_TIME, THINKING, move || question.answer(&registry)).await?;
        Ok(json_reply(StatusCode::OK, &answer.map_err(problem)?))
    }

    /// What a table knows.
    async fn practise(self: &Arc<Self>, exercise: Exercise) -> Result<Reply, Problem> {
        let router = Arc::clone(self);
        let work = move || exercise.answer(router.registry.tables());
        let answer = self.thoughts.think(THINKING_TIME, READING, work).await?;
        Ok(json_reply(StatusCode::OK, &answer?))
    }

    /// The list of the folder's files.
    async fn files(self: &Arc<Self>) -> Result<Reply, Problem> {
        let router = Arc::clone(self);
        let list = apart(move || router.folder.as_ref().map(Folder::json)).await?;
        Ok(json_reply(StatusCode::OK, &list.unwrap_or_else(|| json!([]))))
    }

    /// A file of the folder.
    async fn file(self: &Arc<Self>, head: &Parts, id: String) -> Result<Reply, Problem> {
        let router = Arc::clone(self);
        let found = apart(move || {
            let file = router.folder.as_ref()?.file_with(&id)?;
            Some((file.content(), file.name))
        });
        let (content, name) = found.await?.ok_or_else(Problem::nothing)?;
        allow(head, READ)?;
        let (content, tag) = content.map_err(|error| {
            Problem::new(StatusCode::NOT_FOUND, format!("cannot read {name}: {}", in_words(&error)))
        })?;
        Ok(file_reply(&head.headers, mime_type(&name), &tag, content))
    }

    /// A shipped network.
    async fn network(self: &Arc<Self>, head: &Parts, file: String) -> Result<Reply, Problem> {
        let router = Arc::clone(self);
        let network = apart(move || router.networks.named(&file)).await?.ok_or_else(Problem::nothing)?;
        allow(head, READ)?;
        let content = network.content().map_err(|error| {
            Problem::new(
                StatusCode::NOT_FOUND,
                format!("cannot read {}: {}", network.file(), in_words(&error)),
            )
        })?;
        Ok(file_reply(&head.headers, mime_type(&network.file()), &network.sha256, content))
    }
}

/// A file of the page.
fn page(head: &Parts, path: &str) -> Result<Reply, Problem> {
    let path = if path.is_empty() { "index.html" } else { path };
    let asset = asset(path).ok_or_else(Problem::nothing)?;
    allow(head, READ)?;
    let content = Content::Memory(Some(Bytes::from_static(asset.bytes)));
    Ok(file_reply(&head.headers, mime_type(path), &asset.sha256, content))
}

/// Refuses other methods than these.
fn allow(head: &Parts, methods: &[Method]) -> Result<(), Problem> {
    if methods.contains(&head.method) {
        return Ok(());
    }
    let names = methods.iter().map(Method::as_str).collect::<Vec<_>>().join(", ");
    let problem = Problem::new(StatusCode::METHOD_NOT_ALLOWED, format!("this address answers only {names}"));
    Err(match HeaderValue::from_str(&names) {
        Ok(names) => problem.with(ALLOW, names),
        Err(_) => problem,
    })
}

/// The fields of a question: from the address, or from the body of a POST.
async fn fields(head: &Parts, body: Incoming) -> Result<Fields, Problem> {
    match (&head.method, head.uri.query()) {
        (&Method::POST, Some(_)) => {
            Err(Problem::bad("a POST has its parameters in the body, not in the address"))
        }
        (&Method::POST, None) => Fields::of_json(&read(&head.headers, body).await?),
        (_, query) => Fields::of_query(query.unwrap_or_default()),
    }
}

/// Reads the JSON body of a request.
async fn read(headers: &HeaderMap, body: Incoming) -> Result<Bytes, Problem> {
    let mime = headers.get(CONTENT_TYPE).and_then(|mime| mime.to_str().ok()).unwrap_or_default();
    let mime = mime.split(';').next().unwrap_or_default().trim();
    if !mime.eq_ignore_ascii_case("application/json") {
        let sentence = "the body must be JSON, with the header Content-Type: application/json";
        return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, sentence));
    }
    let too_large = || {
        let sentence = format!("the body is larger than {MOST_BODY} bytes");
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, sentence)
    };
    if body.size_hint().lower() > MOST_BODY as u64 {
        return Err(too_large());
    }
    match timeout(BODY_TIME, Limited::new(body, MOST_BODY).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => Err(Problem::bad("the body is incomplete")),
        Err(_) => Err(Problem::new(StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time")),
    }
}

/// Runs work that may wait for a disk in another thread.
async fn apart<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Problem> {
    let failed = |_| Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "the server could not do this");
    spawn_blocking(work).await.map_err(failed)
}
