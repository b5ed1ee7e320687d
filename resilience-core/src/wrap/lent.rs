use std::{
    fmt,
    ops::{Deref, DerefMut},
};

use crate::sync::{Mutex, lock};

/// Something that one attempt after the other borrows mutably: futures cannot share the borrow of the closure that makes
/// them.
pub struct Lent<'a, T: ?Sized>(Mutex<Option<&'a mut T>>);

impl<'a, T: ?Sized> Lent<'a, T> {
    /// Lends it.
    pub fn new(lent: &'a mut T) -> Self {
        Self(Mutex::new(Some(lent)))
    }

    /// Until the loan is dropped, nobody else has it. An attempt is dropped before the next one begins.
    pub fn lend(&self) -> Loan<'_, 'a, T> {
        Loan { of: self, lent: Some(lock(&self.0).take().expect("the attempt before is over")) }
    }
}

/// The loan of one attempt.
pub struct Loan<'l, 'a, T: ?Sized> {
    of: &'l Lent<'a, T>,
    /// Empty only once dropped.
    lent: Option<&'a mut T>,
}

impl<T: ?Sized> Drop for Loan<'_, '_, T> {
    fn drop(&mut self) {
        *lock(&self.of.0) = self.lent.take();
    }
}

impl<T: ?Sized> Deref for Loan<'_, '_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.lent.as_deref().expect("empty only once dropped")
    }
}

impl<T: ?Sized> DerefMut for Loan<'_, '_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.lent.as_deref_mut().expect("empty only once dropped")
    }
}

impl<T: ?Sized> fmt::Debug for Lent<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lent")
    }
}

impl<T: ?Sized> fmt::Debug for Loan<'_, '_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Loan")
    }
}
