//! Arguments that are there only sometimes.

use syn::{Attribute, FnArg, Signature, parse_quote};

/// A method as it is with an argument that has a `cfg`, and without it.
pub(crate) fn variants(attrs: Vec<Attribute>, sig: Signature) -> Vec<(Vec<Attribute>, Signature)> {
    let is_cfg = |attr: &Attribute| attr.path().is_ident("cfg");
    let of_arg = |arg: &FnArg| match arg {
        FnArg::Typed(arg) => arg.attrs.clone(),
        FnArg::Receiver(it) => it.attrs.clone(),
    };
    let Some(at) = sig.inputs.iter().position(|arg| of_arg(arg).iter().any(is_cfg)) else {
        return vec![(attrs, sig)];
    };
    let cfgs: Vec<_> = of_arg(&sig.inputs[at]).into_iter().filter(is_cfg).collect();
    let conditions: Vec<_> =
        cfgs.iter().filter_map(|attr| attr.meta.require_list().ok()).map(|it| it.tokens.clone()).collect();
    let (mut with, mut without) = ((attrs.clone(), sig.clone()), (attrs, sig));
    with.0.push(parse_quote!(#[cfg(all(#(#conditions),*))]));
    without.0.push(parse_quote!(#[cfg(not(all(#(#conditions),*)))]));
    if let FnArg::Typed(arg) = &mut with.1.inputs[at] {
        arg.attrs.retain(|attr| !is_cfg(attr));
    }
    let kept = without.1.inputs.into_iter().enumerate().filter(|(other, _)| *other != at);
    without.1.inputs = kept.map(|(_, arg)| arg).collect();
    variants(with.0, with.1).into_iter().chain(variants(without.0, without.1)).collect()
}
