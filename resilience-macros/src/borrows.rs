//! What comes out of a call and borrows mutably what went in.

use syn::{
    AngleBracketedGenericArguments, FnArg, GenericArgument, Lifetime, PathArguments, Signature, Type, TypeParamBound,
};

use crate::signature::{Call, Receiver, bare, hides};

/// A lifetime that is left out.
const ELIDED: &str = "_";

/// Whether the result of a call borrows from a `&mut`, as far as syntax shows it: then there is no second call.
pub(crate) fn mutably(sig: &Signature, call: &Call) -> bool {
    let lent = sig.inputs.iter().filter_map(|arg| match arg {
        FnArg::Receiver(it) => lent(&it.ty),
        FnArg::Typed(it) => lent(&it.ty),
    });
    let lent: Vec<_> = lent.collect();
    // A result that hides its type borrows whatever it can.
    !lent.is_empty() && hides(&call.output)
        || lifetimes(&call.output).iter().any(|out| match out.as_str() {
            // Of `self`; without one, of the only argument that it can be.
            ELIDED => !lent.is_empty() && matches!(call.receiver, Receiver::Mutable | Receiver::None),
            out => lent.iter().any(|it| it == out),
        })
}

/// The lifetime of a `&mut`.
fn lent(ty: &Type) -> Option<String> {
    match bare(ty) {
        Type::Reference(it) if it.mutability.is_some() => Some(name(it.lifetime.as_ref())),
        _ => None,
    }
}

fn lifetimes(ty: &Type) -> Vec<String> {
    match bare(ty) {
        Type::Reference(it) => [name(it.lifetime.as_ref())].into_iter().chain(lifetimes(&it.elem)).collect(),
        Type::Path(it) => it.path.segments.iter().flat_map(|it| of_arguments(&it.arguments)).collect(),
        Type::Tuple(it) => it.elems.iter().flat_map(lifetimes).collect(),
        Type::Array(it) => lifetimes(&it.elem),
        Type::Slice(it) => lifetimes(&it.elem),
        Type::TraitObject(it) => it.bounds.iter().flat_map(of_bound).collect(),
        _ => Vec::new(),
    }
}

fn of_bound(bound: &TypeParamBound) -> Vec<String> {
    match bound {
        TypeParamBound::Lifetime(it) => vec![name(Some(it))],
        TypeParamBound::Trait(it) => it.path.segments.iter().flat_map(|it| of_arguments(&it.arguments)).collect(),
        _ => Vec::new(),
    }
}

/// Those of `Fn(&str) -> &str` are its own.
fn of_arguments(args: &PathArguments) -> Vec<String> {
    let PathArguments::AngleBracketed(AngleBracketedGenericArguments { args, .. }) = args else { return Vec::new() };
    args.iter()
        .flat_map(|arg| match arg {
            GenericArgument::Lifetime(it) => vec![name(Some(it))],
            GenericArgument::Type(it) => lifetimes(it),
            GenericArgument::AssocType(it) => lifetimes(&it.ty),
            _ => Vec::new(),
        })
        .collect()
}

fn name(lifetime: Option<&Lifetime>) -> String {
    lifetime.map_or_else(|| ELIDED.to_owned(), |it| it.ident.to_string())
}
