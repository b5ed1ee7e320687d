//! The methods of the trait.

use resilience_keys::Code;
use syn::{Attribute, Ident, ItemTrait, Signature, TraitItem};

use super::limits::{check, forwards};
use crate::{
    fallback::Found,
    layers::Layers,
    lints::allowed,
    report::Report,
    signature::{Call, Receiver},
    variants::variants,
};

/// A method of the trait.
pub(crate) struct Member {
    /// `cfg`s, and the lints that are allowed.
    pub(crate) attrs: Vec<Attribute>,
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
            other => {
                let what = "what this stands for is not seen from here, and could not be forwarded: write it out";
                report.tell(other, Code::Unprotectable, what);
                continue;
            }
        };
        let layers = Layers::take(attrs, report);
        match entry {
            TraitItem::Fn(method) => all.push((method.clone(), layers)),
            _ if layers.is_empty() => {}
            other => report.tell(other, Code::Unprotectable, "a policy protects methods, not types or constants"),
        }
    }
    let all: Vec<_> = all
        .into_iter()
        .flat_map(|(method, layers)| {
            variants(method.attrs, method.sig).into_iter().map(move |(attrs, sig)| (attrs, sig, layers.clone()))
        })
        .collect();
    let names = all.iter().map(|(_, sig, _)| sig);
    all.iter()
        .map(|(attrs, sig, layers)| {
            Member::new(attrs, sig.clone(), layers.clone().inherit(outer), names.clone(), report)
        })
        .collect()
}

impl Member {
    fn new<'s>(
        attrs: &[Attribute],
        sig: Signature,
        layers: Layers,
        names: impl Iterator<Item = &'s Signature> + Clone,
        report: &mut Report,
    ) -> Self {
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
        let cfgs = attrs.iter().filter(|attr| attr.path().is_ident("cfg")).cloned();
        let attrs = cfgs.chain(allowed(attrs)).collect();
        Self { attrs, sig, call, layers: protects.then_some(layers), recovers }
    }

    pub(crate) fn layers(&self) -> &Layers {
        self.layers.as_ref().expect("asked of protected methods")
    }

    pub(crate) fn cfgs(&self) -> impl Iterator<Item = &Attribute> {
        self.attrs.iter().filter(|it| it.path().is_ident("cfg"))
    }

    /// The field of its pipeline.
    pub(crate) fn field(&self) -> &Ident {
        &self.sig.ident
    }
}
