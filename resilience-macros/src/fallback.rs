//! `#[fallback(method = "no_place")]`.

use proc_macro2::Span;
use quote::{ToTokens, quote};
use resilience_keys::{Code, Problem, nearest};
use syn::{Attribute, FnArg, Ident, LitStr, Meta, PatType, Receiver, Signature, parse_quote};

use crate::{
    attribute::{not_of_type, pairs},
    given::text,
    id,
    report::Report,
    signature::{By, Call, Fallible, Waits},
};

/// The method that makes a result where everything else failed.
pub(crate) struct Fallback {
    pub(crate) method: Ident,
}

/// A fallback method as it is declared.
pub(crate) struct Found {
    pub(crate) takes_error: bool,
    pub(crate) is_async: bool,
}

impl Fallback {
    pub(crate) fn read(attr: &Attribute, report: &mut Report) -> Option<Self> {
        let mut method = None;
        let says_nothing = match &attr.meta {
            Meta::Path(_) => true,
            Meta::List(list) => list.tokens.is_empty(),
            Meta::NameValue(_) => false,
        };
        for pair in pairs(attr, None, report) {
            let key = pair.key.to_string();
            let name = text(&pair.value);
            match name.as_deref().map(|text| LitStr::new(text, span(&pair.value)).parse::<Ident>()) {
                _ if key != "method" => {
                    report.problem(&pair.key, &Problem::unknown(Code::BadAttribute, &key, ["method"]).at("fallback"));
                }
                Some(Ok(_)) if method.is_some() => {
                    report.tell(&pair.key, Code::BadAttribute, "`method` is written twice");
                }
                Some(Ok(name)) => method = Some(name),
                _ => report.problem(&pair.value, &not_of_type(&key, &pair.value, "the name of a method")),
            }
        }
        if says_nothing {
            report.tell(attr, Code::BadFallback, "which method? write `#[fallback(method = \"..\")]`");
        }
        method.map(|method| Self { method })
    }

    /// Whether the method is the one that it stands on.
    pub(crate) fn is_of_itself(&self, of: &Signature, report: &mut Report) -> bool {
        let name = &self.method;
        if *name == of.ident {
            report.tell(name, Code::BadFallback, format_args!("`{name}` is its own fallback; name another method"));
        }
        *name == of.ident
    }

    /// Finds the method among `methods`: that of the arguments of `of`, perhaps with the error behind them.
    pub(crate) fn find<'s>(
        &self,
        of: &Signature,
        methods: impl Iterator<Item = &'s Signature> + Clone,
        report: &mut Report,
    ) -> Option<Found> {
        if self.is_of_itself(of, report) {
            return None;
        }
        let mut found = methods.clone().filter(|sig| sig.ident == self.method);
        let Some(first) = found.clone().next() else {
            let names: Vec<_> = methods.map(|sig| sig.ident.to_string()).collect();
            let name = self.method.to_string();
            let allowed = format!("a method beside `{}`", of.ident);
            let problem = Problem::new(Code::BadFallback, "fallback.method", format!("\"{name}\""), allowed);
            report.problem(&self.method, &problem.near(nearest(&name, names.iter().map(String::as_str))));
            return None;
        };
        // With a `cfg` there may be several.
        let found = found.find_map(|found| Found::fitting(of, found));
        if found.is_none() {
            report.tell(&first, Code::BadFallback, self.wanted(of));
        }
        found
    }

    fn wanted(&self, of: &Signature) -> String {
        let Signature { asyncness, inputs, output, .. } = of;
        let (name, error) = (&self.method, Call::of(of).error());
        let inputs: Vec<FnArg> = inputs.iter().cloned().chain([parse_quote!(error: &#error)]).collect();
        let wanted = id::spaced(&quote!(#asyncness fn #name(#(#inputs),*) #output));
        let of = &of.ident;
        format!("the fallback of `{of}` has another signature; wanted: `{wanted}`, the error being optional")
    }
}

impl Found {
    /// What `sig` is as a fallback of `of`, if it can be one. Whether an alias is the same type, the compiler sees.
    fn fitting(of: &Signature, sig: &Signature) -> Option<Self> {
        let types = |sig: &Signature| sig.inputs.iter().map(kind).collect::<Vec<_>>();
        let (wanted, have) = (types(of), types(sig));
        let (of, call) = (Call::of(of), Call::of(sig));
        let takes_error = have.len() == wanted.len() + 1 && call.args.last().is_some_and(|last| last.by == By::Shared);
        let takes = have.starts_with(&wanted) && (have.len() == wanted.len() || takes_error);
        let is_async = call.waits != Waits::Sync;
        let may_wait = !is_async || of.waits != Waits::Sync;
        let may_return = match (of.fallible(), call.fallible()) {
            (Fallible::Perhaps, _) | (_, Fallible::Perhaps) => true,
            (of, found) => of == found,
        };
        (takes && may_wait && may_return).then_some(Self { takes_error, is_async })
    }
}

/// An argument without its name; whether lifetimes fit, the compiler sees.
fn kind(arg: &FnArg) -> String {
    let (FnArg::Receiver(Receiver { ty, .. }) | FnArg::Typed(PatType { ty, .. })) = arg;
    id::without_lifetimes(ty.to_token_stream(), &|_| true).to_string()
}

fn span(tokens: &impl ToTokens) -> Span {
    tokens.to_token_stream().into_iter().next().map_or_else(Span::call_site, |first| first.span())
}
