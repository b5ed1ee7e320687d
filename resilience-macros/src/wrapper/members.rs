//! The methods of the trait.

use resilience_keys::Code;
use syn::{Attribute, FnArg, Ident, ItemTrait, Signature, TraitItem, TraitItemFn, parse_quote};

use super::{
    limits::{check, forwards},
    methods,
};
use crate::{
    fallback::Found,
    layers::Layers,
    report::Report,
    signature::{Call, Receiver},
};

/// A method of the trait.
pub(crate) struct Member {
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) sig: Signature,
    pub(crate) call: Call,
    /// None if nothing protects it.
    pub(crate) layers: Option<Layers>,
    pub(crate) recovers: Option<Found>,
}

/// Takes the policies of the methods out of the trait.
pub(crate) fn take(item: &mut ItemTrait, outer: &Layers, report: &mut Report) -> Vec<Member> {
    let mut all = Vec::new();
    for entry in &mut item.items {
        let attrs = match entry {
            TraitItem::Fn(it) => &mut it.attrs,
            TraitItem::Const(it) => &mut it.attrs,
            TraitItem::Type(it) => &mut it.attrs,
            _ => continue,
        };
        let layers = Layers::take(attrs, report);
        match entry {
            TraitItem::Fn(method) => all.push((method.clone(), layers)),
            _ if layers.is_empty() => {}
            other => report.tell(other, Code::Unprotectable, "a policy protects methods, not types or constants"),
        }
    }
    let names = methods(item).map(|it| &it.sig);
    let variants =
        all.into_iter().flat_map(|(method, layers)| variants(method).into_iter().map(move |it| (it, layers.clone())));
    variants.map(|(method, layers)| Member::new(method, layers.inherit(outer), names.clone(), report)).collect()
}

/// A method as it is with an argument that is there only sometimes, and without it.
fn variants(method: TraitItemFn) -> Vec<TraitItemFn> {
    let is_cfg = |attr: &Attribute| attr.path().is_ident("cfg");
    let attrs = |arg: &FnArg| match arg {
        FnArg::Typed(arg) => arg.attrs.clone(),
        FnArg::Receiver(it) => it.attrs.clone(),
    };
    let Some(at) = method.sig.inputs.iter().position(|arg| attrs(arg).iter().any(is_cfg)) else { return vec![method] };
    let cfgs: Vec<_> = attrs(&method.sig.inputs[at]).into_iter().filter(is_cfg).collect();
    let conditions: Vec<_> =
        cfgs.iter().filter_map(|attr| attr.meta.require_list().ok()).map(|it| it.tokens.clone()).collect();
    let (mut with, mut without) = (method.clone(), method);
    with.attrs.push(parse_quote!(#[cfg(all(#(#conditions),*))]));
    without.attrs.push(parse_quote!(#[cfg(not(all(#(#conditions),*)))]));
    if let FnArg::Typed(arg) = &mut with.sig.inputs[at] {
        arg.attrs.retain(|attr| !is_cfg(attr));
    }
    let kept = without.sig.inputs.into_iter().enumerate().filter(|(other, _)| *other != at);
    without.sig.inputs = kept.map(|(_, arg)| arg).collect();
    variants(with).into_iter().chain(variants(without)).collect()
}

impl Member {
    fn new<'s>(
        method: TraitItemFn,
        layers: Layers,
        names: impl Iterator<Item = &'s Signature> + Clone,
        report: &mut Report,
    ) -> Self {
        let sig = method.sig;
        let call = Call::of(&sig);
        let inherited = layers.only_inherited;
        let receives =
            matches!(call.receiver, Receiver::Shared | Receiver::Mutable | Receiver::Value | Receiver::Boxed);
        let protects = !layers.is_empty() && (!inherited || (receives && call.may_fail()));
        let mut recovers = None;
        if protects {
            recovers = layers.fallback.as_ref().and_then(|it| it.find(&sig, names, report));
            check(&sig, &call, &layers, report);
        }
        forwards(&sig, report);
        let cfgs = method.attrs.into_iter().filter(|attr| attr.path().is_ident("cfg")).collect();
        Self { cfgs, sig, call, layers: protects.then_some(layers), recovers }
    }

    pub(crate) fn layers(&self) -> &Layers {
        self.layers.as_ref().expect("asked of protected methods")
    }

    /// The field of its pipeline.
    pub(crate) fn field(&self) -> &Ident {
        &self.sig.ident
    }
}
