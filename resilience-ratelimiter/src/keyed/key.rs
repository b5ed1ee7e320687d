use std::{borrow::Borrow, hash::Hash};

/// How calls name a key of type `K`: as `K` itself, or as what it borrows to, such as `str` for `String`.
///
/// Holds for every such type, so there is nothing to implement. As in a map of the standard library, `Hash` and `Eq`
/// of both forms have to agree.
///
/// `Eq` runs under the lock of a shard: it must not call into the limiter, and should be quick. `Hash` and `ToOwned`
/// run under no lock.
pub trait KeyRef<K>: Hash + Eq + Sync {
    /// Whether it names `key`.
    #[doc(hidden)]
    fn names(&self, key: &K) -> bool;

    /// The key that it names.
    #[doc(hidden)]
    fn to_key(&self) -> K;
}

impl<K, Q> KeyRef<K> for Q
where
    K: Borrow<Q>,
    Q: Hash + Eq + ToOwned<Owned = K> + Sync + ?Sized,
{
    #[inline(always)]
    fn names(&self, key: &K) -> bool {
        key.borrow() == self
    }

    fn to_key(&self) -> K {
        self.to_owned()
    }
}
