//! Who may ask: only a page of this server, and people and programs on this machine.
//!
//! A foreign page can make a browser send requests to this machine. It cannot choose the headers
//! `Host`, `Origin` and `Sec-Fetch-Site`, which the browser writes. `Host` also gives away a
//! foreign name that was pointed at this machine (DNS rebinding).

use std::net::{IpAddr, SocketAddr};

use hyper::header::{HOST, HeaderName, HeaderValue, ORIGIN};
use hyper::{HeaderMap, StatusCode, Uri, Version};

use super::content::Problem;

/// What the browser may do on the page: load and connect to nothing but this server.
const CONTENT_SECURITY_POLICY: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; \
    style-src 'self'; img-src 'self' data: blob:; worker-src 'self'; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'";

/// The headers of every reply.
const HEADERS: [(&str, &str); 6] = [
    ("content-security-policy", CONTENT_SECURITY_POLICY),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cache-control", "no-cache"),
];

/// Adds the headers of every reply.
pub(super) fn secure(headers: &mut HeaderMap) {
    for (name, value) in HEADERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
}

/// The addresses under which the server may be asked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guard {
    address: SocketAddr,
}

impl Guard {
    pub(super) fn new(address: SocketAddr) -> Guard {
        Guard { address }
    }

    /// Refuses requests that were made by a foreign page or for a foreign name.
    pub(super) fn check(self, version: Version, uri: &Uri, headers: &HeaderMap) -> Result<(), Problem> {
        let foreign = |what: &str| {
            let sentence = format!("requests {what} are refused; open http://{}/", self.address);
            Err(Problem::new(StatusCode::FORBIDDEN, sentence))
        };
        let hosts: Vec<_> = headers.get_all(HOST).iter().collect();
        let host = match hosts[..] {
            [host] => host.to_str().ok(),
            [] if version < Version::HTTP_11 => None,
            _ => return Err(Problem::bad("a request needs exactly one header Host")),
        };
        if !host.is_some_and(|host| self.is_own(host)) {
            return foreign("for another host");
        }
        if uri.authority().is_some_and(|authority| !self.is_own(authority.as_str())) {
            return foreign("for another host");
        }
        let is_own_origin = |origin: &HeaderValue| {
            let host = origin.to_str().ok().and_then(|origin| origin.strip_prefix("http://"));
            host.is_some_and(|host| self.is_own(host))
        };
        if !headers.get_all(ORIGIN).iter().all(is_own_origin) {
            return foreign("of another page");
        }
        // Links may lead here, but another page may not ask, not even without reading the answer.
        let header = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
        let is_foreign = matches!(header("sec-fetch-site"), Some("cross-site" | "same-site"));
        let is_link = header("sec-fetch-mode") == Some("navigate") && !uri.path().starts_with("/api/");
        if is_foreign && !is_link {
            return foreign("of another page");
        }
        Ok(())
    }

    /// Whether a host, with or without a port, is this server.
    fn is_own(self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.contains(']') => (name, port.parse().ok()),
            _ => (host, Some(80)),
        };
        if port != Some(self.address.port()) {
            return false;
        }
        if name.eq_ignore_ascii_case("localhost") {
            return true;
        }
        let literal = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        // A rebound name is never an address in digits.
        literal
            .parse::<IpAddr>()
            .is_ok_and(|ip| ip.is_loopback() || ip == self.address.ip() || self.address.ip().is_unspecified())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(address: &str) -> Guard {
        Guard::new(address.parse().unwrap())
    }

    #[test]
    fn own_hosts() {
        let own = guard("127.0.0.1:2048");
        for host in ["127.0.0.1:2048", "localhost:2048", "LOCALHOST:2048", "[::1]:2048", "127.9.9.9:2048"] {
            assert!(own.is_own(host), "{host}");
        }
        for host in [
            "",
            ":2048",
            "localhost",
            "localhost:80",
            "localhost:",
            "localhost.evil.example:2048",
            "127.0.0.1.evil.example:2048",
            "evil.example:2048",
            "10.0.0.1:2048",
            "[::1]",
            "[::2]:2048",
            "user@localhost:2048",
            "localhost:2048/",
        ] {
            assert!(!own.is_own(host), "{host}");
        }
        assert!(guard("127.0.0.1:80").is_own("localhost") && guard("[::1]:80").is_own("[::1]"));
        let everywhere = guard("0.0.0.0:2048");
        assert!(everywhere.is_own("10.0.0.1:2048") && !everywhere.is_own("evil.example:2048"));
        assert!(guard("10.0.0.1:2048").is_own("10.0.0.1:2048"));
    }

    #[test]
    fn foreign_pages() {
        let own = guard("127.0.0.1:2048");
        let check = |path: &str, given: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            headers.append("host", HeaderValue::from_static("127.0.0.1:2048"));
            for &(name, value) in given {
                headers.append(name, HeaderValue::from_static(value));
            }
            own.check(Version::HTTP_11, &path.parse().unwrap(), &headers).map_err(|problem| problem.status)
        };
        assert_eq!(check("/", &[]), Ok(()));
        assert_eq!(check("/api/best", &[("origin", "http://localhost:2048")]), Ok(()));
        assert_eq!(check("/api/best", &[("sec-fetch-site", "same-origin")]), Ok(()));
        assert_eq!(check("/", &[("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate")]), Ok(()));
        for origin in ["http://evil.example", "https://127.0.0.1:2048", "null", "http://127.0.0.1:2049"] {
            assert_eq!(check("/api/best", &[("origin", origin)]), Err(StatusCode::FORBIDDEN), "{origin}");
        }
        for site in ["cross-site", "same-site"] {
            assert_eq!(check("/api/best", &[("sec-fetch-site", site)]), Err(StatusCode::FORBIDDEN));
            let navigation = [("sec-fetch-site", site), ("sec-fetch-mode", "navigate")];
            assert_eq!(check("/api/best", &navigation), Err(StatusCode::FORBIDDEN));
        }
        assert_eq!(check("http://evil.example/", &[]), Err(StatusCode::FORBIDDEN));
        assert_eq!(check("/", &[("host", "127.0.0.1:2048")]), Err(StatusCode::BAD_REQUEST));
    }
}
