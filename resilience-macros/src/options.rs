//! `#[resilient(crate = "..", registry = ..)]`, and what it stands on.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use resilience_keys::{Code, Problem};
use syn::{Expr, Item, LitStr, Path, Token, ext::IdentExt, parse_quote, punctuated::Punctuated};

use crate::{attribute::Pair, local, report::Report, wrapper};

/// What `#[resilient]` is told.
pub(crate) struct Options {
    /// The facade.
    pub(crate) krate: Path,
    /// Of functions and inherent impls: an expression for a `&Registry`.
    pub(crate) registry: Option<Expr>,
}

impl Options {
    fn read(tokens: TokenStream, report: &mut Report) -> Self {
        let mut this = Self { krate: parse_quote!(::resilience), registry: None };
        let pairs = report.parsed(Punctuated::<Pair, Token![,]>::parse_terminated, tokens);
        for Pair { key, value } in pairs.into_iter().flatten() {
            let name = key.unraw().to_string();
            match name.as_str() {
                "crate" => match syn::parse2::<LitStr>(value.to_token_stream()).and_then(|text| text.parse()) {
                    Ok(path) => this.krate = path,
                    Err(_) => report.tell(&value, Code::BadAttribute, "a path in quotes: `crate = \"my::resilience\"`"),
                },
                "registry" => this.registry = Some(value),
                _ => {
                    let problem = Problem::unknown(Code::BadAttribute, &name, ["crate", "registry"]);
                    report.problem(&key, &problem.at("resilient"));
                }
            }
        }
        this
    }
}

/// The item, and what stands behind policies.
pub(crate) fn expand(options: TokenStream, item: &TokenStream) -> TokenStream {
    let mut report = Report::default();
    let options = Options::read(options, &mut report);
    let expanded = match syn::parse2::<Item>(item.clone()) {
        Ok(Item::Trait(it)) => wrapper::expand(&options, it, &mut report),
        Ok(Item::Impl(it)) if it.trait_.is_none() => local::in_impl(&options, it, &mut report),
        Ok(Item::Fn(it)) => local::of_function(&options, it, &mut report),
        Ok(_) => {
            let what = "`#[resilient]` stands on a trait, an `impl` of a type without a trait, or a function";
            report.tell(item, Code::Unprotectable, what);
            quote!(#item)
        }
        Err(error) => {
            report.add(error);
            quote!(#item)
        }
    };
    let mistakes = report.into_tokens();
    quote!(#expanded #mistakes)
}
