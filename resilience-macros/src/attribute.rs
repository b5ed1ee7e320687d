//! One policy as an attribute: `#[rate_limiter(name = "geocoding", permits = 5)]`.

use proc_macro2::Span;
use quote::ToTokens;
use resilience_keys::{Code, Key, Problem, SECTIONS, Section};
use syn::{
    Attribute, Expr, Ident, Lit, Meta, Token,
    ext::IdentExt,
    parse::{Parse, ParseStream},
    punctuated::Punctuated,
};

use crate::{
    given::{Given, Kind, bare, text},
    id::spaced,
    report::Report,
};

/// A policy of a method.
pub(crate) struct Attr {
    pub(crate) section: &'static Section,
    pub(crate) span: Span,
    pub(crate) name: Option<String>,
    /// The named config that it builds on.
    pub(crate) base: Option<String>,
    pub(crate) locked: bool,
    /// Sync methods: what is too late is told, not cut off.
    pub(crate) late: bool,
    pub(crate) given: Vec<(&'static Key, Given)>,
}

/// `key = value`.
pub(crate) struct Pair {
    pub(crate) key: Ident,
    pub(crate) value: Expr,
}

impl Parse for Pair {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let key = Ident::parse_any(input)?;
        input.parse::<Token![=]>()?;
        Ok(Self { key, value: input.parse()? })
    }
}

impl ToTokens for Pair {
    fn to_tokens(&self, tokens: &mut proc_macro2::TokenStream) {
        self.key.to_tokens(tokens);
        self.value.to_tokens(tokens);
    }
}

/// The keys that every policy has beside those of its section.
const COMMON: [&str; 3] = ["name", "config", "locked"];

/// The section that an attribute names, if it is a policy's.
pub(crate) fn section(attr: &Attribute) -> Option<&'static Section> {
    SECTIONS.iter().copied().find(|section| attr.path().is_ident(section.name))
}

/// An attribute that nobody else has, and which is nearly one of ours.
pub(crate) fn misspelt(attr: &Attribute, report: &mut Report) -> bool {
    let Some(name) = attr.path().get_ident().map(Ident::to_string) else { return false };
    let known = SECTIONS.iter().map(|section| section.name).chain(["fallback"]);
    let problem = Problem::unknown(Code::BadAttribute, &name, known);
    if problem.nearest.is_some() {
        report.problem(attr.path(), &problem);
    }
    problem.nearest.is_some()
}

/// A policy that nobody will look for: macros get an item before the `cfg_attr`s inside it are evaluated.
pub(crate) fn unseen(attr: &Attribute, report: &mut Report) -> bool {
    let inside = Punctuated::<Meta, Token![,]>::parse_terminated;
    let Some(metas) = attr.path().is_ident("cfg_attr").then(|| attr.parse_args_with(inside).ok()).flatten() else {
        return false;
    };
    let is_ours = |meta: &&Meta| {
        let path = meta.path();
        path.is_ident("fallback") || SECTIONS.iter().any(|section| path.is_ident(section.name))
    };
    let ours: Vec<_> = metas.iter().skip(1).filter(is_ours).collect();
    for meta in &ours {
        let name = meta.path().to_token_stream();
        let what = format!("`{name}` in a `cfg_attr` is not seen: write the method twice, with `#[cfg(..)]`");
        report.tell(meta, Code::Unprotectable, what);
    }
    !ours.is_empty()
}

/// The pairs in the parentheses of an attribute; a first value without a key belongs to `alone`.
pub(crate) fn pairs(attr: &Attribute, alone: Option<&str>, report: &mut Report) -> Vec<Pair> {
    let list = match &attr.meta {
        Meta::Path(_) => return Vec::new(),
        Meta::List(list) => list,
        Meta::NameValue(it) => {
            report.tell(it, Code::BadAttribute, "keys stand in parentheses: `(key = value, ..)`");
            return Vec::new();
        }
    };
    let read = |input: ParseStream<'_>| {
        let mut pairs = Vec::new();
        if let Some(key) = alone.filter(|_| input.peek(Lit)) {
            let key = Ident::new(key, attr.path().get_ident().map_or_else(Span::call_site, Ident::span));
            pairs.push(Pair { key, value: input.parse()? });
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        pairs.extend(Punctuated::<Pair, Token![,]>::parse_terminated(input)?);
        Ok(pairs)
    };
    list.parse_args_with(read).unwrap_or_else(|error| {
        let what = format!("{error}; keys are written `key = value` ({})", Code::BadAttribute);
        report.add(syn::Error::new(error.span(), what));
        Vec::new()
    })
}

impl Attr {
    /// Reads and checks an attribute. What is wrong goes to `report`.
    pub(crate) fn read(section: &'static Section, attr: &Attribute, report: &mut Report) -> Self {
        let span = attr.path().get_ident().map_or_else(Span::call_site, Ident::span);
        let mut this = Self { section, span, name: None, base: None, locked: false, late: false, given: Vec::new() };
        let mut seen: Vec<(String, Pair)> = Vec::new();
        for pair in pairs(attr, (section.name == "timeout").then_some("timeout"), report) {
            let key = pair.key.unraw().to_string();
            if seen.iter().any(|(name, _)| *name == key) {
                report.tell(&pair.key, Code::BadAttribute, format_args!("`{key}` is written twice"));
                continue;
            }
            this.set(&key, &pair, report);
            seen.push((key, pair));
        }
        let value = |name: &str| match this.given.iter().find(|(key, _)| key.name == name) {
            Some((_, Given::Value(value))) => Some(value),
            _ => None,
        };
        for problem in section.contradictions(value) {
            if let Some((_, pair)) = seen.iter().find(|(name, _)| *name == problem.path) {
                report.problem(&pair.value, &problem);
            }
        }
        this
    }

    /// The constants in its lists.
    pub(crate) fn constants(&self) -> impl Iterator<Item = &Expr> {
        let kinds = self.given.iter().flat_map(|(_, given)| match given {
            Given::Kinds(kinds, _) => kinds.as_slice(),
            Given::Value(_) => &[],
        });
        kinds.filter_map(|kind| match kind {
            Kind::Constant(expr) => Some(&**expr),
            Kind::Known(..) => None,
        })
    }

    fn set(&mut self, key: &str, pair: &Pair, report: &mut Report) {
        let Pair { value, .. } = pair;
        match key {
            "name" | "config" => match text(value).filter(|text| !text.is_empty()) {
                Some(text) if key == "name" => self.name = Some(text),
                Some(text) => self.base = Some(text),
                None => report.problem(value, &not_of_type(key, value, "a text that is not empty")),
            },
            "locked" => match bare(value) {
                Expr::Lit(syn::ExprLit { lit: Lit::Bool(lit), .. }) => self.locked = lit.value,
                _ => report.problem(value, &not_of_type(key, value, "true or false")),
            },
            "on_blocking" if self.section.name == "timeout" => match text(value).as_deref() {
                Some("late") => self.late = true,
                _ => report.problem(value, &not_of_type(key, value, "\"late\"")),
            },
            _ => match self.section.key(key) {
                Some(key) => match Given::check(key, value) {
                    Ok(given) => self.given.push((key, given)),
                    Err(problem) => report.problem(value, &problem),
                },
                None => report.problem(&pair.key, &self.unknown(key)),
            },
        }
    }

    fn unknown(&self, key: &str) -> Problem {
        let only_here = (self.section.name == "timeout").then_some("on_blocking");
        let known = self.section.keys.iter().map(|key| key.name).chain(COMMON).chain(only_here);
        Problem::unknown(Code::BadAttribute, key, known).at(self.section.name)
    }
}

pub(crate) fn not_of_type(key: &str, value: &Expr, allowed: &str) -> Problem {
    Problem::wrong_type(key, spaced(value), allowed)
}
