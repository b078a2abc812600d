//! Ten thousand random requests and fifty connections at once. Runs with `LAB2048_LONG=1`.

use std::fs;
use std::io::Write as _;
use std::sync::Mutex;

use crate::client::{Answer, Server, encoded, read};

/// Random numbers that are the same in every run (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    fn rubbish(&mut self, most: usize) -> String {
        (0..self.below(most)).map(|_| char::from(b' ' + self.below(95) as u8)).collect()
    }

    fn board(&mut self) -> String {
        let (rows, cols) = (2 + self.below(5), 2 + self.below(5));
        let tile = |random: &mut Random| (1_u64 << random.below(14)) & !1;
        let row = |random: &mut Random| -> String {
            let tiles: Vec<String> = (0..cols).map(|_| tile(random).to_string()).collect();
            tiles.join(" ")
        };
        let rows: Vec<String> = (0..rows).map(|_| row(self)).collect();
        rows.join("/")
    }
}

const PLAYERS: &[&str] = &[
    "random",
    "greedy",
    "expectimax:depth=1",
    "expectimax:depth=2,eval=corner",
    "expectimax:nodes=5000",
    "ntuple",
    "ntuple:depth=2",
    "sum:depth=2",
    "minimax:depth=2",
    "clairvoyant:depth=3",
    "program:file=x",
    "exec:cmd=x",
    "ntuple:net=x",
    "nobody",
];

const PATHS: &[&str] = &[
    "/",
    "/index.html",
    "/networks/list.json",
    "/networks/default.net",
    "/networks/full.net",
    "/api/version",
    "/api/players",
    "/api/files",
    "/api/files/0123456789abcdef",
    "/nowhere",
];

/// One request, right or wrong. The answer must be an answer of ours.
fn ask(server: &Server, random: &mut Random) -> Option<Answer> {
    let question = |random: &mut Random| {
        let (board, player, seed) = (random.board(), random.pick(PLAYERS), random.next() % 100);
        (board, player, seed)
    };
    Some(match random.below(12) {
        0..=3 => {
            let (board, player, seed) = question(random);
            server.get(&format!("/api/best?board={}&player={}&seed={seed}", encoded(&board), encoded(player)))
        }
        4..=6 => {
            let (board, player, seed) = question(random);
            let body = format!("{{\"board\": \"{board}\", \"player\": \"{player}\", \"seed\": {seed}}}");
            server.post("/api/best", &body)
        }
        7 => {
            let (name, value) = (random.rubbish(20), random.rubbish(200));
            server.get(&format!("/api/best?{}={}&board={}", encoded(&name), encoded(&value), encoded(&value)))
        }
        8 => server.post("/api/best", &random.rubbish(2000)),
        // The large files are rarer.
        9 if random.below(20) > 0 => server.get(random.pick(&[PATHS[0], PATHS[5], PATHS[6], PATHS[9]])),
        9 => server.get(random.pick(PATHS)),
        10 => {
            let method = random.pick(&["HEAD", "PUT", "OPTIONS", "GET"]);
            let host = if random.below(2) == 0 { server.host() } else { "Host: evil.example\r\n".to_owned() };
            server.send(&format!("{method} {}", random.pick(PATHS)), &host, b"")
        }
        _ => {
            // Something that is not HTTP, or a client that leaves in the middle.
            let mut stream = server.connect();
            let text = format!("?{}\r\n\r\n", random.rubbish(300));
            stream.write_all(text.as_bytes()).expect("the server reads");
            if random.below(2) == 0 {
                return None;
            }
            read(stream)
        }
    })
}

/// The memory of the server in use, in kilobytes.
fn memory(server: &Server) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", server.id())).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a VmRSS line");
    line.trim().strip_suffix(" kB").and_then(|number| number.parse().ok()).expect("a number")
}

/// So many requests, on some connections at once. Returns how many had each status.
fn storm(server: &Server, requests: usize, at_once: usize, seed: u64) -> Vec<(u16, usize)> {
    let statuses = Mutex::new(Vec::<(u16, usize)>::new());
    std::thread::scope(|scope| {
        for number in 0..at_once {
            let statuses = &statuses;
            scope.spawn(move || {
                let mut random = Random(seed + number as u64);
                for _ in 0..requests / at_once {
                    let Some(answer) = ask(server, &mut random) else { continue };
                    let mut statuses = statuses.lock().expect("no panic");
                    match statuses.iter_mut().find(|(status, _)| *status == answer.status) {
                        Some((_, count)) => *count += 1,
                        None => statuses.push((answer.status, 1)),
                    }
                }
            });
        }
    });
    statuses.into_inner().expect("no panic")
}

#[cfg(target_os = "linux")]
#[test]
fn many_random_requests_leave_the_server_as_it_was() {
    if std::env::var_os("LAB2048_LONG").is_none() {
        return;
    }
    let server = Server::start();
    // The warm-up reads the network and fills every buffer.
    storm(&server, 1000, 50, 1);
    PATHS.iter().for_each(|path| drop(server.get(path)));
    let before = memory(&server);
    let statuses = storm(&server, 10_000, 50, 1_000_000);
    let after = memory(&server);
    let known = [200, 400, 403, 404, 405, 503];
    assert!(statuses.iter().all(|(status, _)| known.contains(status)), "{statuses:?}");
    let good = statuses.iter().find(|(status, _)| *status == 200).map_or(0, |(_, count)| *count);
    assert!(good > 2000, "{statuses:?}");
    assert!(after <= before + 20 * 1024, "{before} kB before, {after} kB after");
    server.assert_alive();
    assert_eq!(server.end("TERM").code, Some(143));
}
