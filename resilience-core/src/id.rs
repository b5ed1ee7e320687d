use std::{
    collections::HashMap,
    fmt,
    hash::{Hash, Hasher},
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
};

/// The name of an instance: interned, one word, `Copy`.
///
/// Each distinct text is kept for the life of the process (a leak of one string per distinct id), so that a
/// rejection can say who it comes from without a reference count. Do not make ids out of user input.
///
/// ```
/// use resilience_core::Id;
///
/// assert_eq!(Id::new("geocoding"), Id::new("geocoding"));
/// assert_eq!(Id::new("geocoding").as_str(), "geocoding");
/// ```
#[derive(Clone, Copy)]
pub struct Id(&'static &'static str);

impl Id {
    /// Interns `text`.
    pub fn new(text: &str) -> Self {
        let mut table = table();
        if let Some(known) = table.get(text) {
            return *known;
        }
        let text: &'static str = Box::leak(Box::from(text));
        let id = Self(Box::leak(Box::new(text)));
        table.insert(text, id);
        id
    }

    /// The id of this text, if there is one: interns nothing.
    pub fn find(text: &str) -> Option<Self> {
        table().get(text).copied()
    }

    /// The text for messages: what cannot be seen is shown escaped.
    pub(crate) fn escaped(self) -> std::str::EscapeDebug<'static> {
        self.as_str().escape_debug()
    }

    /// The text.
    pub fn as_str(self) -> &'static str {
        self.0
    }
}

fn table() -> MutexGuard<'static, HashMap<&'static str, Id>> {
    static TABLE: OnceLock<Mutex<HashMap<&'static str, Id>>> = OnceLock::new();
    TABLE.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
}

impl PartialEq for Id {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Id {}

impl PartialEq<str> for Id {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Id {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl Hash for Id {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::from_ref(self.0).hash(state);
    }
}

impl Ord for Id {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl PartialOrd for Id {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl From<&str> for Id {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<&String> for Id {
    fn from(text: &String) -> Self {
        Self::new(text)
    }
}

impl From<String> for Id {
    fn from(text: String) -> Self {
        Self::new(&text)
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Id {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
