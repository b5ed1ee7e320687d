//! What a wrapper cannot do.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use resilience_keys::Code;
use syn::{FnArg, GenericParam, Signature, Type};

use super::generics::asked_of_self;
use crate::{
    check::protectable,
    layers::Layers,
    report::Report,
    signature::{Call, Receiver, mentions, receiver},
};

/// What a policy cannot protect.
pub(super) fn check(sig: &Signature, call: &Call, layers: &Layers, report: &mut Report) {
    let name = &sig.ident;
    match call.receiver {
        Receiver::None => {
            report.tell(
                name,
                Code::Unprotectable,
                format_args!("`{name}` has no `self`, so there is no wrapper to protect it: take `&self`"),
            );
        }
        Receiver::Value | Receiver::Boxed if layers.repeats() => {
            let what = format!(
                "`{name}` takes `self` by value: after one call there is nothing to call once more; take `&self`"
            );
            report.tell(&sig.receiver(), Code::Unprotectable, what);
        }
        _ => {}
    }
    if call.owns && layers.repeats() {
        let what = format!(
            "`{name}` promises a future that borrows nothing, but what comes after the first call needs the delegate: \
             let the future borrow (`+ '_`)"
        );
        report.tell(&sig.output, Code::Unprotectable, what);
    }
    let constants = layers.policies.iter().flat_map(|it| it.constants());
    for of_self in constants.filter(|it| mentions(&it.to_token_stream(), "Self")) {
        let what = "policies are made before there is a `Self` here: write a constant that is not the trait's";
        report.tell(of_self, Code::Unprotectable, what);
    }
    protectable(sig, call, layers, report);
}

/// What cannot be handed on to the delegate.
pub(super) fn forwards(sig: &Signature, report: &mut Report) {
    if let Some(token) = &sig.unsafety {
        let what = format!(
            "`{}` is unsafe, and the wrapper has no unsafe code to call it: keep it in another trait",
            sig.ident
        );
        report.tell(token, Code::Unprotectable, what);
    }
    if receiver(sig) == Receiver::Other {
        let what = format!(
            "`{}` is called through a pointer that the wrapper cannot look into: `self`, `&self`, \
             `&mut self` and `self: Box<Self>` can be forwarded",
            sig.ident
        );
        report.tell(&sig.receiver(), Code::Unprotectable, what);
    }
    let own = sig.generics.params.iter().map(|param| match param {
        GenericParam::Type(it) => &it.ident,
        GenericParam::Const(it) => &it.ident,
        GenericParam::Lifetime(it) => &it.lifetime.ident,
    });
    for bound in
        asked_of_self(sig).filter(|it| own.clone().any(|name| mentions(&it.to_token_stream(), &name.to_string())))
    {
        let what = format!(
            "`{}` asks more of `Self` for each call, and the wrapper can ask its delegate only once: keep it in another \
             trait",
            sig.ident
        );
        report.tell(bound, Code::Unprotectable, what);
    }
    let is_self = |ty: &Type| contains_self(&ty.to_token_stream());
    let args = sig.inputs.iter().filter_map(|arg| match arg {
        FnArg::Typed(arg) => Some(&*arg.ty),
        FnArg::Receiver(_) => None,
    });
    let output = match &sig.output {
        syn::ReturnType::Type(_, ty) => Some(&**ty),
        syn::ReturnType::Default => None,
    };
    for ty in args.chain(output).filter(|ty| is_self(ty)) {
        let what = format!(
            "`{}` names `Self`, which is the wrapper for its caller and the delegate for its callee: keep it in another \
             trait",
            sig.ident
        );
        report.tell(ty, Code::Unprotectable, what);
    }
}

/// `Self` on its own, not `Self::Item` or `<Self as Trait>::Item`.
fn contains_self(tokens: &TokenStream) -> bool {
    let tokens: Vec<_> = tokens.clone().into_iter().collect();
    tokens.iter().enumerate().any(|(at, token)| match token {
        TokenTree::Ident(it) => {
            let goes_on = match tokens.get(at + 1) {
                Some(TokenTree::Punct(it)) => it.as_char() == ':',
                Some(TokenTree::Ident(it)) => it == "as",
                _ => false,
            };
            *it == "Self" && !goes_on
        }
        TokenTree::Group(it) => contains_self(&it.stream()),
        _ => false,
    })
}
