//! Futures that a signature spells out.

use syn::{GenericArgument, Path, PathArguments, Token, Type, TypeParamBound, punctuated::Punctuated};

use crate::signature::{arguments, bare, inner, of_type};

/// A future as a signature promises it.
pub(crate) struct Promise {
    pub(crate) output: Type,
    pub(crate) sends: bool,
    pub(crate) owns: bool,
}

type Bounds = Punctuated<TypeParamBound, Token![+]>;

impl Promise {
    /// If one of the bounds is `Future<Output = ..>`.
    pub(crate) fn of(bounds: &Bounds) -> Option<Self> {
        let output = bounds.iter().find_map(|bound| {
            let TypeParamBound::Trait(bound) = bound else { return None };
            let last = bound.path.segments.last().filter(|last| last.ident == "Future")?;
            let PathArguments::AngleBracketed(args) = &last.arguments else { return None };
            args.args.iter().find_map(|arg| match arg {
                GenericArgument::AssocType(it) if it.ident == "Output" => Some(it.ty.clone()),
                _ => None,
            })
        })?;
        let is_send = |path: &Path| path.segments.last().is_some_and(|last| last.ident == "Send");
        let sends = bounds.iter().any(|it| matches!(it, TypeParamBound::Trait(it) if is_send(&it.path)));
        let owns = bounds.iter().any(|it| matches!(it, TypeParamBound::Lifetime(it) if it.ident == "static"));
        Some(Self { output, sends, owns })
    }
}

/// Of a `Pin<Box<dyn Future<Output = ..>>>`, or what the crate `futures` calls so.
pub(crate) fn boxed(ty: &Type) -> Option<Promise> {
    for (name, sends) in [("BoxFuture", true), ("LocalBoxFuture", false)] {
        if let Some(args) = arguments(ty, name) {
            let output = args.iter().find_map(of_type)?.clone();
            let owns = args.iter().any(|it| matches!(it, GenericArgument::Lifetime(it) if it.ident == "static"));
            return Some(Promise { output, sends, owns });
        }
    }
    match bare(inner(inner(ty, "Pin")?, "Box")?) {
        Type::TraitObject(it) => {
            let borrows = it.bounds.iter().any(|it| matches!(it, TypeParamBound::Lifetime(it) if it.ident != "static"));
            Some(Promise { owns: !borrows, ..Promise::of(&it.bounds)? })
        }
        _ => None,
    }
}
