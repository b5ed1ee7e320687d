//! Who may look: whoever knows the token.

use std::fmt;

use axum::http::{HeaderMap, header};
use subtle::ConstantTimeEq;

/// The cookie that holds the token, as hexadecimal digits: a cookie cannot hold just anything.
pub(crate) const COOKIE: &str = "resilience-dashboard";

#[derive(Clone)]
pub(crate) struct Token(String);

impl Token {
    pub(crate) fn new(token: &str) -> Self {
        assert!(!token.is_empty(), "a token of no letters protects nothing");
        Self(token.to_owned())
    }

    pub(crate) fn is(&self, given: &[u8]) -> bool {
        self.0.as_bytes().ct_eq(given).into()
    }

    /// Whether a request brings it, in a header or in the cookie.
    pub(crate) fn is_in(&self, headers: &HeaderMap) -> bool {
        let bearer = headers.get_all(header::AUTHORIZATION).iter().filter_map(|it| bearer(it.as_bytes()));
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|it| it.to_str().ok());
        let cookies = cookies.flat_map(|it| it.split(';')).filter_map(|it| it.trim().split_once('='));
        let hex = self.hex();
        // All of them are compared, however early one is right.
        let by_cookie = cookies.filter(|(name, _)| *name == COOKIE).map(|(_, it)| hex.as_bytes().ct_eq(it.as_bytes()));
        let right = bearer.map(|it| self.0.as_bytes().ct_eq(it)).chain(by_cookie);
        right.fold(subtle::Choice::from(0), |any, it| any | it).into()
    }

    pub(crate) fn hex(&self) -> String {
        let digit = |nibble: u8| char::from(b"0123456789abcdef"[usize::from(nibble)]);
        self.0.bytes().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
    }
}

/// The name of the scheme is case-insensitive, what follows is not.
fn bearer(value: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = value.split_at_checked(7)?;
    scheme.eq_ignore_ascii_case(b"bearer ").then_some(token)
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: header::HeaderName, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name, value.parse().expect("a header"))])
    }

    #[test]
    fn only_the_whole_token_is_right() {
        let token = Token::new("sesame");
        for (value, right) in [
            ("Bearer sesame", true),
            ("bearer sesame", true),
            ("Bearer sesam", false),
            ("Bearer sesame ", false),
            ("Bearer  sesame", false),
            ("Bearer", false),
            ("Basic sesame", false),
            ("sesame", false),
            ("Bearer é", false),
            ("", false),
        ] {
            assert_eq!(token.is_in(&headers(header::AUTHORIZATION, value)), right, "{value}");
        }
        assert!(!token.is_in(&HeaderMap::new()));
    }

    #[test]
    fn a_cookie_is_found_among_others() {
        let token = Token::new("sesame");
        for (value, right) in [
            ("resilience-dashboard=736573616d65", true),
            ("a=b; resilience-dashboard=736573616d65;c", true),
            ("resilience-dashboard=00; resilience-dashboard=736573616d65", true),
            ("resilience-dashboard=sesame", false),
            ("x-resilience-dashboard=736573616d65", false),
            ("resilience-dashboard=736573616D65", false),
            ("=;;==", false),
        ] {
            assert_eq!(token.is_in(&headers(header::COOKIE, value)), right, "{value}");
        }
    }

    #[test]
    #[should_panic(expected = "protects nothing")]
    fn an_empty_token_is_refused() {
        Token::new("");
    }

    #[test]
    fn it_is_never_shown() {
        assert_eq!(format!("{:?}", Token::new("sesame")), "Token(..)");
    }
}
