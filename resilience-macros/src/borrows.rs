//! What comes out of a call and borrows mutably what went in.

use syn::{
    AngleBracketedGenericArguments, FnArg, GenericArgument, Lifetime, PathArguments, ReturnType, Signature, Type,
    TypeParamBound,
};

use crate::signature::{Call, Receiver, hides};

/// Whether the result of a call borrows from a `&mut`, as far as syntax shows it: then there is no second call.
pub(crate) fn mutably(sig: &Signature, call: &Call) -> bool {
    let lent = sig.inputs.iter().filter_map(|arg| match arg {
        FnArg::Receiver(it) => reference(&it.ty),
        FnArg::Typed(it) => reference(&it.ty),
    });
    let lent: Vec<_> = lent.collect();
    let named = lent.iter().copied().flatten();
    let plain = matches!(sig.output, ReturnType::Type(..)) && !lent.is_empty();
    plain
        && (hides(&call.output)
            || lifetimes(&call.output).into_iter().any(|out| match out {
                Some(out) => named.clone().any(|it| it == out),
                // Without a `self` there is one argument that it can be.
                None => call.receiver == Receiver::Mutable || call.receiver == Receiver::None,
            }))
}

/// The lifetime of a `&mut`, which may be left out.
fn reference(ty: &Type) -> Option<Option<&Lifetime>> {
    match ty {
        Type::Reference(it) if it.mutability.is_some() => Some(it.lifetime.as_ref()),
        Type::Paren(it) => reference(&it.elem),
        Type::Group(it) => reference(&it.elem),
        _ => None,
    }
}

/// The lifetimes in a type, `None` for one that is left out.
fn lifetimes(ty: &Type) -> Vec<Option<&Lifetime>> {
    match ty {
        Type::Reference(it) => [named(it.lifetime.as_ref())].into_iter().chain(lifetimes(&it.elem)).collect(),
        Type::Path(it) => it.path.segments.iter().flat_map(|it| of_arguments(&it.arguments)).collect(),
        Type::Tuple(it) => it.elems.iter().flat_map(lifetimes).collect(),
        Type::Array(it) => lifetimes(&it.elem),
        Type::Slice(it) => lifetimes(&it.elem),
        Type::Paren(it) => lifetimes(&it.elem),
        Type::Group(it) => lifetimes(&it.elem),
        Type::TraitObject(it) => it.bounds.iter().flat_map(of_bound).collect(),
        _ => Vec::new(),
    }
}

fn of_bound(bound: &TypeParamBound) -> Vec<Option<&Lifetime>> {
    match bound {
        TypeParamBound::Lifetime(it) => vec![named(Some(it))],
        TypeParamBound::Trait(it) => it.path.segments.iter().flat_map(|it| of_arguments(&it.arguments)).collect(),
        _ => Vec::new(),
    }
}

/// Those of `Fn(&str) -> &str` are its own.
fn of_arguments(args: &PathArguments) -> Vec<Option<&Lifetime>> {
    let PathArguments::AngleBracketed(AngleBracketedGenericArguments { args, .. }) = args else { return Vec::new() };
    args.iter()
        .flat_map(|arg| match arg {
            GenericArgument::Lifetime(it) => vec![named(Some(it))],
            GenericArgument::Type(it) => lifetimes(it),
            GenericArgument::AssocType(it) => lifetimes(&it.ty),
            _ => Vec::new(),
        })
        .collect()
}

fn named(lifetime: Option<&Lifetime>) -> Option<&Lifetime> {
    lifetime.filter(|it| it.ident != "_")
}
