//! What a builder, a file or a variable has set.

use std::time::Duration;

use crate::{
    Kind, KindSet,
    keys::{Key, Value},
};

/// Values of some keys of a policy; the other keys are unset.
///
/// ```
/// use resilience_core::{Values, keys::{RATE_LIMITER, Value}};
///
/// let mut values = Values::new();
/// values.set(RATE_LIMITER.get("permits"), Value::Count(10));
/// assert_eq!(values.count(RATE_LIMITER.get("permits")), Some(10));
/// assert_eq!(values.duration(RATE_LIMITER.get("period")), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values(Vec<(&'static str, Value)>);

impl Values {
    /// Nothing is set.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Sets a key, in place of what it was set to before.
    pub fn set(&mut self, key: &'static Key, value: Value) {
        match self.0.iter_mut().find(|(name, _)| *name == key.name) {
            Some((_, old)) => *old = value,
            None => self.0.push((key.name, value)),
        }
    }

    /// Sets a list of kinds; all kinds are no list, so they unset the key.
    pub fn set_kinds(&mut self, key: &'static Key, kinds: KindSet) {
        if kinds == KindSet::ALL {
            self.0.retain(|(name, _)| *name != key.name);
        } else {
            let names = Kind::names().into_iter().filter(|name| Kind::find(name).is_some_and(|it| kinds.contains(it)));
            self.set(key, Value::Kinds(names.map(str::to_owned).collect()));
        }
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.iter().find(|(name, _)| *name == key).map(|(_, value)| value)
    }

    /// All keys that are set, with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.0.iter().map(|(name, value)| (*name, value))
    }

    /// A count; `None` if the key is unset or takes something else.
    pub fn count(&self, key: &Key) -> Option<u32> {
        match self.get(key.name)? {
            Value::Count(count) => Some(u32::try_from(*count).unwrap_or(u32::MAX)),
            _ => None,
        }
    }

    /// A length of time.
    pub fn duration(&self, key: &Key) -> Option<Duration> {
        match self.get(key.name)? {
            Value::Duration(duration) => Some(*duration),
            _ => None,
        }
    }

    /// A percentage or a factor.
    pub fn number(&self, key: &Key) -> Option<f64> {
        match self.get(key.name)? {
            Value::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// Yes or no.
    pub fn flag(&self, key: &Key) -> Option<bool> {
        match self.get(key.name)? {
            Value::Bool(flag) => Some(*flag),
            _ => None,
        }
    }

    /// One of the key's words.
    pub fn word(&self, key: &Key) -> Option<&'static str> {
        match self.get(key.name)? {
            Value::Word(word) => Some(word),
            _ => None,
        }
    }

    /// Kinds of failure; a name that no kind has is left out.
    pub fn kinds(&self, key: &Key) -> Option<KindSet> {
        match self.get(key.name)? {
            Value::Kinds(names) => Some(names.iter().filter_map(|name| Kind::find(name)).collect()),
            _ => None,
        }
    }
}
