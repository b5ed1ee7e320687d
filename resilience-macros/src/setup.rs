//! The pipeline of a method: its type, and how it is made.

use heck::ToUpperCamelCase;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use resilience_keys::{Key, Section, Value};
use std::time::Duration;
use syn::{Path, spanned::Spanned};

use crate::{
    attribute::Attr,
    given::{Given, Kind},
    layers::Layers,
    method::on,
};

/// Where the facade has a policy: module and type.
fn home(section: &Section) -> [Ident; 2] {
    let (module, name) = match section.name {
        "rate_limiter" => ("ratelimiter", "RateLimiter"),
        "circuit_breaker" => ("breaker", "CircuitBreaker"),
        "retry" => ("retry", "Retry"),
        "timeout" => ("timeout", "Timeout"),
        _ => ("bulkhead", "Bulkhead"),
    };
    [module, name].map(|it| Ident::new(it, Span::call_site()))
}

/// `Pipeline<(Arc<Retry>, (Arc<RateLimiter>, Call))>`.
pub(crate) fn pipeline_type(krate: &Path, layers: &Layers) -> TokenStream {
    let stack = layers.policies.iter().rev().fold(quote!(#krate::Call), |inner, attr| {
        let [module, policy] = home(attr.section);
        quote!((::std::sync::Arc<#krate::#module::#policy>, #inner))
    });
    quote!(#krate::Pipeline<#stack>)
}

/// Imports of what `builder` calls.
pub(crate) fn imports<'a>(krate: &Path, all: impl IntoIterator<Item = &'a Layers>) -> TokenStream {
    let mut modules: Vec<_> =
        all.into_iter().flat_map(|layers| &layers.policies).map(|it| home(it.section)[0].clone()).collect();
    modules.sort();
    modules.dedup();
    // Perhaps only for what a `cfg` takes away.
    quote!(#(#[allow(unused_imports)] use #krate::#modules::PipelineExt as _;)*)
}

/// An expression that builds the pipeline, up to `.build()`.
pub(crate) fn builder(krate: &Path, registry: &TokenStream, id: &TokenStream, layers: &Layers) -> TokenStream {
    let policies = layers.policies.iter().map(|attr| policy(krate, attr));
    quote!(#krate::Pipeline::builder(#registry, #id) #(#policies)* .build())
}

fn policy(krate: &Path, attr: &Attr) -> TokenStream {
    let method = Ident::new(attr.section.name, attr.span);
    let name = attr.name.iter().map(|name| quote!(.name(#name)));
    let base = attr.base.iter().map(|base| quote!(.base(#base)));
    let keys = attr.given.iter().map(|(key, given)| {
        let name = format_ident!("{}", key.name);
        let value = value(krate, attr.section, key, given);
        quote!(.#name(#value))
    });
    let locked = attr.locked.then(|| quote!(.locked()));
    quote!(.#method(|it| it #(#name)* #(#base)* #(#keys)* #locked))
}

fn value(krate: &Path, section: &Section, key: &Key, given: &Given) -> TokenStream {
    match given {
        Given::Kinds(kinds, list) => {
            let kinds = kinds.iter().map(|kind| match kind {
                Kind::Known(name, span) => {
                    let name = format_ident!("{}", name.to_uppercase());
                    on(*span, quote!(#krate::Kind::#name))
                }
                Kind::Constant(expr) => quote!(#expr),
            });
            quote_spanned!(list.span()=> [#(#kinds),*])
        }
        Given::Value(Value::Count(count)) => {
            let count = Literal::u64_unsuffixed(*count);
            quote!(#count)
        }
        Given::Value(Value::Number(number)) => {
            let number = Literal::f64_unsuffixed(*number);
            quote!(#number)
        }
        Given::Value(Value::Bool(bool)) => quote!(#bool),
        Given::Value(Value::Duration(time)) => duration(*time),
        Given::Value(Value::Word(word)) => {
            let [module, _] = home(section);
            let [list, word] = [key.name, word].map(|it| format_ident!("{}", it.to_upper_camel_case()));
            quote!(#krate::#module::#list::#word)
        }
        Given::Value(Value::Kinds(_)) => unreachable!("lists are read by element"),
    }
}

/// As one would write it.
fn duration(time: Duration) -> TokenStream {
    let (secs, nanos) = (time.as_secs(), time.subsec_nanos());
    let number = Literal::u64_unsuffixed;
    if nanos == 0 {
        let secs = number(secs);
        return quote!(::core::time::Duration::from_secs(#secs));
    }
    if let (0, Ok(millis)) = (nanos % 1_000_000, u64::try_from(time.as_millis())) {
        let millis = number(millis);
        return quote!(::core::time::Duration::from_millis(#millis));
    }
    let (secs, nanos) = (number(secs), Literal::u32_unsuffixed(nanos));
    quote!(::core::time::Duration::new(#secs, #nanos))
}
