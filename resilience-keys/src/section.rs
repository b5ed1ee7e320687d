//! The keys of one policy.

use crate::Key;

/// The keys of one policy, as they stand under `defaults.<name>` in a configuration file.
///
/// ```
/// use resilience_keys::{Default, SECTIONS};
///
/// let names: Vec<_> = SECTIONS.iter().map(|section| section.name).collect();
/// assert_eq!(names, ["rate_limiter", "circuit_breaker", "retry", "timeout", "bulkhead"]);
/// for section in SECTIONS {
///     let enabled = section.key("enabled").expect("every section has it");
///     assert_eq!(enabled.default, Default::Value("true"));
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Section {
    /// The name in configuration files and attributes, in `snake_case`.
    pub name: &'static str,
    /// The name in prose.
    pub title: &'static str,
    /// The keys, in the order in which the documentation lists them.
    pub keys: &'static [Key],
}

impl Section {
    /// The key of that name.
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name)
    }

    /// The key of that name, for constants.
    ///
    /// # Panics
    ///
    /// When there is no such key, which in a constant is a compile error:
    ///
    /// ```compile_fail
    /// # use resilience_keys::{Key, RATE_LIMITER};
    /// const PERMITS: &Key = RATE_LIMITER.get("permit"); // `permits` compiles
    /// # assert_eq!(PERMITS.name, "permits");
    /// ```
    pub const fn get(&self, name: &str) -> &'static Key {
        let mut keys = self.keys;
        while let [key, rest @ ..] = keys {
            if same(key.name.as_bytes(), name.as_bytes()) {
                return key;
            }
            keys = rest;
        }
        panic!("the section has no such key")
    }
}

/// `==` on slices is not `const`.
const fn same(mut a: &[u8], mut b: &[u8]) -> bool {
    while let ([x, a_rest @ ..], [y, b_rest @ ..]) = (a, b) {
        if *x != *y {
            return false;
        }
        (a, b) = (a_rest, b_rest);
    }
    a.is_empty() && b.is_empty()
}
