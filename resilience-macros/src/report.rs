//! All that is wrong with an item, told at once.

use proc_macro2::TokenStream;
use quote::ToTokens;
use resilience_keys::{Code, Problem};
use syn::{Error, parse::Parser};

/// Collects mistakes, each on its own span.
#[derive(Default)]
pub(crate) struct Report(Option<Error>);

impl Report {
    /// A problem with a value or key.
    pub(crate) fn problem(&mut self, at: &impl ToTokens, problem: &Problem) {
        self.add(Error::new_spanned(at, problem));
    }

    /// A mistake told in words.
    pub(crate) fn tell(&mut self, at: &impl ToTokens, code: Code, what: impl std::fmt::Display) {
        self.add(Error::new_spanned(at, format!("{what} ({code})")));
    }

    pub(crate) fn add(&mut self, error: Error) {
        match &mut self.0 {
            Some(all) => all.combine(error),
            None => self.0 = Some(error),
        }
    }

    /// What parses, or nothing and a mistake.
    pub(crate) fn parsed<P: Parser>(&mut self, parser: P, tokens: TokenStream) -> Option<P::Output> {
        parser.parse2(tokens).map_err(|error| self.add(error)).ok()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The mistakes as compile errors.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.0.map(Error::into_compile_error).unwrap_or_default()
    }
}
