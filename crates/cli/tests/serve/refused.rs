//! Requests that are refused, each with a status and one sentence.

use std::io::Write as _;

use crate::client::{Server, encoded, read};

/// A question about a board, with more parameters.
fn best(more: &str) -> String {
    format!("/api/best?board=2+4/0+2{more}")
}

#[test]
fn wrong_questions_are_refused_with_a_sentence() {
    let server = Server::start();
    let player = |spec: &str| best(&format!("&player={}", encoded(spec)));
    for (path, words) in [
        ("/api/best".to_owned(), "'board' is missing"),
        ("/api/best?board=".to_owned(), "not a board: "),
        ("/api/best?board=2+x".to_owned(), "not a board: "),
        ("/api/best?board=@/etc/passwd".to_owned(), "not a board: "),
        ("/api/best?board=-".to_owned(), "not a board: "),
        ("/api/best?board=2+4/4+2".to_owned(), "the game is over on this board"),
        ("/api/best?board=0+0/0+0".to_owned(), ""),
        (best("&board=2+4/0+2"), "'board' is given twice"),
        (best("&size=4x4"), "not a board: "),
        (best("&size=9x9"), "size=9x9: "),
        (best("&seed=-1"), "seed=-1: it must be a whole number of at least 0"),
        (best("&seed=18446744073709551616"), "it is too large"),
        (best("&moves=1"), "'moves' needs 'seed'"),
        (best("&score=x"), "score=x: "),
        (best("&four=2"), "four=2: "),
        (best("&four=nan"), "four=nan: "),
        (
            best("&borad=1"),
            "there is no parameter 'borad'; there are: board, player, score, seed, moves, four, size",
        ),
        (best("&%ff=1"), "is not UTF-8 text in percent encoding"),
        (best("&seed=%zz"), "is not UTF-8 text in percent encoding"),
        (player("gredy"), "did you mean 'greedy'?"),
        (player(""), "the player is missing"),
        (player("expectimax:depth=0"), "is not possible"),
        (player("expectimax:depth=1,depth=2"), "is given twice"),
        (player("expectimax:depth=2,adapt=1,time=1s"), "adapt cannot be combined"),
        (player("expectimax:table=65536"), "at most 64 is allowed here"),
        (player("clairvoyant"), "give 'seed' to tell them"),
        (player("clairvoyant:depth=10"), "at most 8 is allowed here without a beam"),
        // No file, no program and no person.
        (player("ntuple:net=/etc/passwd"), "files cannot be named here, only "),
        (player("ntuple:net=../nets/default.net"), "files cannot be named here, only "),
        (player("expectimax:eval=ntuple,net=/dev/zero"), "files cannot be named here, only "),
        (player("program:file=/etc/passwd"), "is not offered here"),
        (player("program"), "is not offered here"),
        (player("expectimax:eval=program,file=default"), "is not offered here"),
        (player("human"), "is not offered here"),
        (player("exec:cmd=touch x"), "is not offered here"),
        (player("exec:cmd=default"), "is not offered here"),
        (player("exec"), "is not offered here"),
    ] {
        let answer = server.get(&path);
        assert_eq!(answer.status, 400, "{path}: {answer:?}");
        assert!(answer.error().contains(words), "{path}: {}", answer.error());
    }
    for (body, words) in [
        ("", "the body is not JSON"),
        ("{", "the body is not JSON"),
        ("[]", "the body must be a JSON object"),
        ("{\"board\": \"2 4/0 2\", \"seed\": [1]}", "'seed' must be a text or a number"),
        ("{\"board\": \"2 4/0 2\", \"seed\": 1.5}", "seed=1.5: "),
        ("{\"board\": {\"a\": 1}}", "'board' must be a text or a number"),
        ("{\"board\": [[2, 4], [0]]}", "not a board: "),
        ("{\"board\": [[2, -4], [0, 2]]}", "not a board: "),
        ("{\"board\": \"2 4/0 2\", \"file\": \"x\"}", "there is no parameter 'file'"),
        ("{\"board\": \"2 4/0 2\", \"player\": \"program:file=x\"}", "is not offered here"),
    ] {
        let answer = server.post("/api/best", body);
        assert_eq!(answer.status, 400, "{body}: {answer:?}");
        assert!(answer.error().contains(words), "{body}: {}", answer.error());
    }
    let deep = format!("{}{}", "[".repeat(30_000), "]".repeat(30_000));
    assert_eq!(server.post("/api/best", &format!("{{\"board\": {deep}}}")).status, 400);
    let both = server.post("/api/best?board=2+4/0+2", "{\"board\": \"2 4/0 2\"}");
    assert_eq!(both.status, 400);
}

#[test]
fn what_is_not_there_and_what_cannot_be_done() {
    let server = Server::start();
    for path in [
        "/nowhere",
        "/../Cargo.toml",
        "/%2e%2e/Cargo.toml",
        "//etc/passwd",
        "/index.html/",
        "/build",
        "/README.md",
        "/api",
        "/api/",
        "/api/best/",
        "/api/practice",
        "/api/tables/block-512",
        "/networks/",
        "/networks/nobody.net",
        "/networks/default",
        "/networks/../list.json",
    ] {
        let answer = server.get(path);
        assert_eq!(answer.status, 404, "{path}");
        assert_eq!(answer.error(), "there is nothing at this address");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "refusals are safe too");
    }
    for (path, allowed) in [
        ("/", "GET, HEAD"),
        ("/networks/list.json", "GET, HEAD"),
        ("/networks/default.net", "GET, HEAD"),
        ("/api/version", "GET, HEAD"),
        ("/api/players", "GET, HEAD"),
        ("/api/files", "GET, HEAD"),
        ("/api/tables", "GET, HEAD"),
        ("/api/practice/draw", "GET, HEAD, POST"),
        ("/api/practice/judge", "GET, HEAD, POST"),
        ("/api/best", "GET, HEAD, POST"),
    ] {
        for method in ["PUT", "DELETE", "OPTIONS", "TRACE", "BREW"] {
            let answer = server.send(&format!("{method} {path}"), &server.host(), b"");
            assert_eq!((answer.status, answer.header("allow")), (405, Some(allowed)), "{method} {path}");
        }
    }
    let form = format!("{}Content-Type: text/plain\r\n", server.host());
    let answer = server.send("POST /api/best", &form, b"{\"board\": \"2 4/0 2\"}");
    assert_eq!(answer.status, 415);
    assert!(answer.error().contains("application/json"));
}

#[test]
fn foreign_pages_and_names_are_refused() {
    let server = Server::start();
    let port = server.address.rsplit_once(':').expect("a port").1;
    let own = server.host();
    for headers in [
        format!("Host: evil.example:{port}\r\n"),
        "Host: evil.example\r\n".to_owned(),
        format!("Host: 127.0.0.1.evil.example:{port}\r\n"),
        "Host: 127.0.0.1\r\n".to_owned(),
        format!("{own}Origin: http://evil.example\r\n"),
        format!("{own}Origin: null\r\n"),
        format!("{own}Origin: https://{}\r\n", server.address),
        format!("{own}Sec-Fetch-Site: cross-site\r\n"),
        format!("{own}Sec-Fetch-Site: same-site\r\nSec-Fetch-Mode: no-cors\r\n"),
    ] {
        for request in ["GET /", "GET /api/version", "GET /api/best?board=2+4/0+2", "POST /api/best"] {
            let answer = server.send(request, &headers, b"");
            assert_eq!(answer.status, 403, "{request} {headers}");
            assert!(answer.error().ends_with(&format!("are refused; open http://{}/", server.address)));
            assert_eq!(answer.header("access-control-allow-origin"), None);
        }
    }
    assert_eq!(server.send("GET http://evil.example/", &own, b"").status, 403);
    for headers in [String::new(), format!("{own}{own}")] {
        assert_eq!(server.send("GET /", &headers, b"").status, 400, "{headers:?}");
    }
    for headers in [
        format!("Host: localhost:{port}\r\n"),
        format!("Host: [::1]:{port}\r\n"),
        format!("{own}Origin: http://{}\r\nSec-Fetch-Site: same-origin\r\n", server.address),
        format!("{own}Sec-Fetch-Site: none\r\nSec-Fetch-Mode: navigate\r\n"),
    ] {
        assert_eq!(server.send("GET /api/version", &headers, b"").status, 200, "{headers}");
    }
    // A link on another page may lead to the page, but not to the interface.
    let link = format!("{own}Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n");
    assert_eq!(server.send("GET /", &link, b"").status, 200);
    assert_eq!(server.send("GET /api/version", &link, b"").status, 403);
}

#[test]
fn what_is_too_large_is_refused() {
    let server = Server::start();
    let most = 64 * 1024;
    let body = |length: usize| {
        let start = "{\"board\": \"2 4/0 2\", \"player\": \"greedy\"";
        format!("{start}{}}}", " ".repeat(length - start.len() - 1))
    };
    assert_eq!(server.post("/api/best", &body(most)).status, 200);
    let large = server.post("/api/best", &body(most + 1));
    assert_eq!(large.status, 413);
    assert_eq!(large.error(), "the body is larger than 65536 bytes");
    // A length that is only announced, and one that is not.
    let headers = format!("{}Content-Type: application/json\r\n", server.host());
    let announced = format!("{headers}Content-Length: 99999999999\r\n");
    assert_eq!(server.send("POST /api/best", &announced, b"").status, 413);
    let mut stream = server.connect();
    let head = format!(
        "POST /api/best HTTP/1.1\r\n{headers}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).expect("the server reads");
    for _ in 0..9 {
        let _ = stream.write_all(format!("2000\r\n{}\r\n", " ".repeat(0x2000)).as_bytes());
    }
    assert_eq!(read(stream).status, 413);
    assert_eq!(server.get(&format!("/api/best?board={}", "2+".repeat(5000))).status, 414);
    let head = format!("{}X: {}\r\n", server.host(), "x".repeat(20_000));
    assert_eq!(server.send("GET /", &head, b"").status, 431);
    let many: String = (0..200).map(|number| format!("X-{number}: 1\r\n")).collect();
    assert_eq!(server.send("GET /", &format!("{}{many}", server.host()), b"").status, 431);
    server.assert_alive();
}

#[test]
fn what_is_not_http_is_refused() {
    let server = Server::start();
    for rubbish in
        ["\0\0\0\0\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9\r\n\r\n", "\u{16}\u{3}\u{1}hello\r\n\r\n"]
    {
        let mut stream = server.connect();
        stream.write_all(rubbish.as_bytes()).expect("the server reads");
        assert_eq!(read(stream).status, 400, "{rubbish:?}");
    }
    server.assert_alive();
}
