//! `#[resilient]`: whole traits, impls and functions behind policies.
//!
//! Part of the crate `resilience`, whose page `resilience::resilient` explains it.

mod attribute;
mod borrows;
mod check;
mod derive;
mod editions;
#[cfg(test)]
mod expansion;
mod fallback;
mod given;
mod id;
mod layers;
mod lints;
mod local;
mod method;
mod options;
mod promise;
mod report;
mod setup;
mod signature;
mod variants;
mod wrapper;

use proc_macro::TokenStream;

#[expect(missing_docs, reason = "the facade has its page, where the examples run")]
#[proc_macro_attribute]
pub fn resilient(options: TokenStream, item: TokenStream) -> TokenStream {
    options::expand(options.into(), &item.into()).into()
}

/// Implements `From<Rejection>` for an error type with one place for it: the variant or field of type `Rejection`.
#[proc_macro_derive(FromRejection)]
pub fn from_rejection(item: TokenStream) -> TokenStream {
    derive::expand(item.into()).into()
}
