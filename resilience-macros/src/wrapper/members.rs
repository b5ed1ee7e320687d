use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use resilience_keys::Code;
use syn::{
    Attribute, FnArg, GenericParam, Ident, ItemTrait, Path, Signature, TraitItem, TraitItemFn, Type, parse_quote,
};

use super::{Generics, methods};
use crate::{
    check::protectable,
    fallback::Found,
    layers::Layers,
    method::{Body, Recovery, local},
    report::Report,
    signature::{Call, Fallible, Receiver, Waits, with_names},
};

/// A method of the trait.
pub(crate) struct Member {
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) sig: Signature,
    pub(crate) call: Call,
    /// None if nothing protects it.
    pub(crate) layers: Option<Layers>,
    recovers: Option<Found>,
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
        let can_fail = call.fallible() != Fallible::No || layers.fallback.is_some();
        let protects = !layers.is_empty() && (!inherited || (receives && can_fail && !hides_type(&call)));
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

    /// The method of the wrapper.
    pub(crate) fn tokens(
        &self,
        krate: &Path,
        ident: &Ident,
        generics: &Generics<'_>,
        field: &Ident,
        fallbacks: Option<&Ident>,
    ) -> TokenStream {
        let cfgs = &self.cfgs;
        let sig = with_names(&self.sig);
        let (delegate, args) = (&generics.delegate, generics.trait_args());
        let of_trait = quote!(<#delegate as #ident #args>);
        let turbofish = turbofish(&self.sig);
        let name = &self.sig.ident;
        let body = match &self.layers {
            None => self.forwarded(&of_trait, &turbofish, field),
            Some(layers) => {
                let run = |through: &TokenStream, args: &[TokenStream]| quote!(#of_trait::#name #turbofish(#through, #(#args),*));
                self.protected(krate, layers, &of_trait, &run, field, fallbacks)
            }
        };
        quote!(#(#cfgs)* #sig { #body })
    }

    /// `self` as the user's signature has it.
    fn this(&self) -> TokenStream {
        self.sig.receiver().map(|it| it.self_token.to_token_stream()).unwrap_or_default()
    }

    fn forwarded(&self, of_trait: &TokenStream, turbofish: &TokenStream, field: &Ident) -> TokenStream {
        let (name, this) = (&self.sig.ident, self.this());
        let through = match self.call.receiver {
            Receiver::None | Receiver::Other => None,
            Receiver::Shared => Some(quote!(&#this.#field)),
            Receiver::Mutable => Some(quote!(&mut #this.#field)),
            Receiver::Value => Some(quote!(#this.#field)),
            Receiver::Boxed => Some(quote!(::std::boxed::Box::new(#this.#field))),
        };
        let args = self.call.args.iter().map(|arg| arg.name.to_token_stream());
        let args = through.into_iter().chain(args);
        let wait = (self.call.waits == Waits::Async).then(|| quote!(.await));
        quote!(#of_trait::#name #turbofish(#(#args),*)#wait)
    }

    fn protected(
        &self,
        krate: &Path,
        layers: &Layers,
        of_trait: &TokenStream,
        run: &dyn Fn(&TokenStream, &[TokenStream]) -> TokenStream,
        field: &Ident,
        fallbacks: Option<&Ident>,
    ) -> TokenStream {
        let this = self.this();
        let name = self.field();
        let [pipeline, delegate, future] = ["pipeline", "delegate", "future"].map(local);
        let boxes = (self.call.receiver == Receiver::Boxed).then(|| quote!(::std::boxed::Box::new));
        let returns_future = matches!(self.call.waits, Waits::Future | Waits::Boxed);
        let repeats = layers.retries() || layers.fallback.is_some();
        let fallback = layers.fallback.as_ref().zip(self.recovers.as_ref()).zip(fallbacks);
        let told = local("fallbacks");
        let (lets, at, through) = match self.call.receiver {
            Receiver::Shared if !returns_future || repeats => (None, quote!(#this.#name), quote!(&#this.#field)),
            Receiver::Shared => (
                Some(quote!(let (#pipeline, #delegate) = (&#this.#name, &#this.#field);)),
                quote!(#pipeline),
                quote!(#delegate),
            ),
            Receiver::Mutable => (
                Some(quote!(let (#pipeline, #delegate) = (&#this.#name, &mut #this.#field);)),
                quote!(#pipeline),
                quote!(#delegate),
            ),
            _ => (
                Some(quote!(let (#pipeline, #delegate) = (#this.#name, #boxes(#this.#field));)),
                quote!(#pipeline),
                quote!(#delegate),
            ),
        };
        let fallback = fallback.map(|((fallback, found), fallbacks)| {
            let method = &fallback.method;
            let fallbacks = if lets.is_some() { told.to_token_stream() } else { quote!(#this.#fallbacks) };
            Recovery {
                fallbacks,
                method: quote!(#of_trait::#method),
                takes_error: found.takes_error,
                is_async: found.is_async,
                span: method.span(),
            }
        });
        let lets = lets.map(|lets| {
            let told = fallback.as_ref().zip(fallbacks).map(|(_, fallbacks)| quote!(let #told = &#this.#fallbacks;));
            quote!(#told #lets)
        });
        // A future that is made at once need not hold a reference to the delegate, which would have to be `Sync`.
        let at_once = returns_future && !repeats;
        let hold = |_: &TokenStream, _: &[TokenStream]| future.to_token_stream();
        let made = at_once.then(|| {
            let args: Vec<_> = self.call.args.iter().map(|arg| arg.name.to_token_stream()).collect();
            let call = run(&through, &args);
            quote!(let #future = #call;)
        });
        let body = Body {
            krate,
            call: &self.call,
            pipeline: at,
            run: if at_once { &hold } else { run },
            through,
            lends: self.call.receiver == Receiver::Mutable && self.call.waits != Waits::Sync && layers.retries(),
            retries: layers.retries(),
            fallback,
            by_type: layers.only_inherited && self.call.fallible() != Fallible::Yes,
        };
        let body = body.tokens();
        match self.call.waits {
            Waits::Sync | Waits::Async => quote!(#lets #body),
            Waits::Future => quote!(#lets #made async move { #body }),
            Waits::Boxed => quote!(#lets #made ::std::boxed::Box::pin(async move { #body })),
        }
    }
}

/// What a policy cannot protect.
fn check(sig: &Signature, call: &Call, layers: &Layers, report: &mut Report) {
    let name = &sig.ident;
    match call.receiver {
        Receiver::None => {
            report.tell(
                name,
                Code::Unprotectable,
                format_args!("`{name}` has no `self`, so there is no wrapper to protect it"),
            );
        }
        Receiver::Other => {
            let what = format!("`{name}` is called through a pointer that the wrapper cannot look into");
            report.tell(&sig.receiver(), Code::Unprotectable, what);
        }
        Receiver::Value | Receiver::Boxed if layers.retries() || layers.fallback.is_some() => {
            let what = format!("`{name}` takes `self` by value: after one call there is nothing to call once more");
            report.tell(&sig.receiver(), Code::Unprotectable, what);
        }
        _ => {}
    }
    protectable(sig, call, layers, report);
}

/// What cannot be handed on to the delegate.
fn forwards(sig: &Signature, report: &mut Report) {
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
            "`{}` names `Self`, which is the wrapper for its caller and the delegate for its callee",
            sig.ident
        );
        report.tell(ty, Code::Unprotectable, what);
    }
}

/// `Self` on its own, not `Self::Item`.
fn contains_self(tokens: &TokenStream) -> bool {
    let tokens: Vec<_> = tokens.clone().into_iter().collect();
    tokens.iter().enumerate().any(|(at, token)| match token {
        TokenTree::Ident(it) => {
            *it == "Self" && !matches!(tokens.get(at + 1), Some(TokenTree::Punct(it)) if it.as_char() == ':')
        }
        TokenTree::Group(it) => contains_self(&it.stream()),
        _ => false,
    })
}

/// A type that has no name cannot be asked.
fn hides_type(call: &Call) -> bool {
    let hidden = |tokens: TokenStream| tokens.to_string().split_whitespace().any(|word| word == "impl");
    call.fallible() == Fallible::Perhaps && hidden(call.output.to_token_stream())
}

fn turbofish(sig: &Signature) -> TokenStream {
    let names = sig.generics.params.iter().filter_map(|param| match param {
        GenericParam::Type(it) => Some(it.ident.to_token_stream()),
        GenericParam::Const(it) => Some(it.ident.to_token_stream()),
        GenericParam::Lifetime(_) => None,
    });
    let names: Vec<_> = names.collect();
    if names.is_empty() { TokenStream::new() } else { quote!(::<#(#names),*>) }
}
