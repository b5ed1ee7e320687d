//! Functions and inherent methods behind policies: the look-up is part of the call.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use resilience_keys::Code;
use syn::{
    Block, FnArg, ImplItem, ImplItemFn, ItemFn, ItemImpl, Path, ReturnType, Signature, parse_quote, spanned::Spanned,
};

use crate::{
    check::protectable,
    fallback::Found,
    id,
    layers::Layers,
    method::{Body, Recovery, local},
    options::Options,
    report::Report,
    setup,
    signature::{Call, Fallible, Receiver, Waits, hides, this, with_names},
    variants::variants,
};

/// A function or method with its policies taken off.
struct Function<'a> {
    sig: &'a mut Signature,
    block: &'a mut Block,
    layers: Layers,
    /// The id of its pipeline.
    id: TokenStream,
    /// How its fallback is called, and whether it takes the error.
    fallback: Option<(TokenStream, Found)>,
}

pub(crate) fn of_function(options: &Options, mut item: ItemFn, report: &mut Report) -> TokenStream {
    let layers = Layers::take(&mut item.attrs, report);
    if layers.is_empty() && report.is_empty() {
        report.tell(&item.sig.ident, Code::Unprotectable, "no policy stands on this function");
    }
    let all = variants(item.attrs.clone(), item.sig.clone()).into_iter();
    all.map(|(attrs, sig)| variant(options, ItemFn { attrs, sig, ..item.clone() }, layers.clone(), report)).collect()
}

fn variant(options: &Options, mut item: ItemFn, layers: Layers, report: &mut Report) -> TokenStream {
    if let Some(fallback) = &layers.fallback {
        fallback.is_of_itself(&item.sig, report);
    }
    let id = id::of(None, &item.sig);
    // Out of sight from here: the compiler checks it.
    let found = Found { takes_error: true, is_async: Call::of(&item.sig).waits != Waits::Sync };
    let fallback = layers.fallback.as_ref().map(|it| (it.method.to_token_stream(), found));
    let function = Function { sig: &mut item.sig, block: &mut item.block, layers, id, fallback };
    function.protect(options, report);
    item.into_token_stream()
}

pub(crate) fn in_impl(options: &Options, mut item: ItemImpl, report: &mut Report) -> TokenStream {
    let outer = Layers::take(&mut item.attrs, report);
    outer.without_fallback(report);
    let mut items = take(&mut item, &outer, report);
    let methods: Vec<_> = items.iter().filter_map(|(entry, _)| sig(entry).cloned()).collect();
    let fallbacks: Vec<_> =
        items.iter().filter_map(|(_, own)| own.fallback.as_ref()).map(|it| it.method.clone()).collect();
    let mut protected = 0;
    for (entry, own) in &mut items {
        let ImplItem::Fn(method) = entry else { continue };
        let own = std::mem::take(own);
        // A fallback that had to pass what has just refused would be none.
        let layers = if fallbacks.contains(&method.sig.ident) { own } else { own.inherit(&outer) };
        let inherits = method.sig.receiver().is_some() && Call::of(&method.sig).may_fail();
        if layers.is_empty() || (layers.only_inherited && !inherits) {
            continue;
        }
        protected += 1;
        let found = layers.fallback.as_ref().and_then(|it| it.find(&method.sig, methods.iter(), report));
        let name = layers.fallback.as_ref().map(|it| &it.method);
        let fallback = found.map(|found| (quote!(Self::#name), found));
        let id = id::of(Some(&item.self_ty), &method.sig);
        Function { sig: &mut method.sig, block: &mut method.block, layers, id, fallback }.protect(options, report);
    }
    if protected == 0 && report.is_empty() {
        report.tell(&item.self_ty, Code::Unprotectable, "no policy stands on a method here");
    }
    item.items = items.into_iter().map(|(entry, _)| entry).collect();
    item.into_token_stream()
}

/// Takes the items out of an impl, and the policies out of the items.
fn take(item: &mut ItemImpl, outer: &Layers, report: &mut Report) -> Vec<(ImplItem, Layers)> {
    let mut all = Vec::new();
    for entry in std::mem::take(&mut item.items) {
        let ImplItem::Fn(mut method) = entry else {
            if matches!(entry, ImplItem::Macro(_)) && !outer.is_empty() {
                let what = "what this stands for is not seen from here, and could not be protected: write it out";
                report.tell(&entry, Code::Unprotectable, what);
            }
            all.push((entry, Layers::default()));
            continue;
        };
        let own = Layers::take(&mut method.attrs, report);
        for (attrs, sig) in variants(method.attrs.clone(), method.sig.clone()) {
            all.push((ImplItem::Fn(ImplItemFn { attrs, sig, ..method.clone() }), own.clone()));
        }
    }
    all
}

fn sig(entry: &ImplItem) -> Option<&Signature> {
    match entry {
        ImplItem::Fn(it) => Some(&it.sig),
        _ => None,
    }
}

impl Function<'_> {
    fn protect(self, options: &Options, report: &mut Report) {
        let Self { sig, block, layers, id, fallback } = self;
        let call = Call::of(sig);
        check(sig, &call, &layers, report);
        let Some(registry) = &options.registry else {
            report.tell(&sig.ident, Code::BadAttribute, "which registry? write `#[resilient(registry = ..)]`");
            return;
        };
        if !report.is_empty() {
            return;
        }
        let krate = &options.krate;
        let given = quote_spanned!(registry.span()=> &#registry);
        let built = setup::builder(krate, &quote!(registry), &id, &layers);
        let imports = setup::imports(krate, [&layers]);
        let [pipeline, fallbacks, returns] = ["pipeline", "fallbacks", "returns"].map(local);
        let told = fallback.is_some().then(|| quote!(#krate::wrap::Fallbacks::new(registry)));
        let by_type = layers.only_inherited && call.fallible() != Fallible::Yes;
        // By type, it is made only if it is needed.
        let end = if by_type { quote!(pipeline) } else { quote!((pipeline, (#told))) };
        let made = quote!({
            #imports
            let registry: &#krate::Registry = #given;
            let pipeline = match #built {
                ::core::result::Result::Ok(pipeline) => pipeline,
                ::core::result::Result::Err(error) => ::core::panic!("{error}"),
            };
            #end
        });
        let (first, pipeline) = if by_type {
            (None, quote!(#returns.pipeline(|| #made)))
        } else {
            (Some(quote!(let (#pipeline, #fallbacks) = #made;)), quote!(#pipeline))
        };
        let named = with_names(sig);
        let patterns: Vec<_> = patterns(sig).collect();
        let run = |_: &TokenStream, args: &[TokenStream]| body(krate, sig, &call, block, &patterns, args);
        let recovery = fallback.map(|(method, found)| Recovery {
            fallbacks: quote!(#fallbacks),
            method,
            takes_error: found.takes_error,
            is_async: found.is_async,
            span: layers.fallback.as_ref().map_or_else(Span::call_site, |it| it.method.span()),
        });
        let body = Body {
            krate,
            call: &call,
            pipeline,
            run: &run,
            through: this(sig),
            lends: false,
            retries: layers.retries(),
            fallback: recovery,
            by_type,
        };
        let body = body.tokens();
        let whole: Block = match call.waits {
            Waits::Sync | Waits::Async => parse_quote!({ #first #body }),
            Waits::Future => parse_quote!({ async move { #first #body } }),
            Waits::Boxed => parse_quote!({ ::std::boxed::Box::pin(async move { #first #body }) }),
        };
        *block = whole;
        *sig = named;
    }
}

/// The body for one attempt: what it was, on these arguments.
fn body(
    krate: &Path,
    sig: &Signature,
    call: &Call,
    block: &Block,
    patterns: &[TokenStream],
    args: &[TokenStream],
) -> TokenStream {
    // One may be there for the registry only.
    let lets = patterns.iter().zip(args).map(|(pattern, arg)| quote!(#[allow(unused_variables)] let #pattern = #arg;));
    match call.waits {
        Waits::Sync | Waits::Future | Waits::Boxed => {
            let output = match &sig.output {
                ReturnType::Type(_, ty) if !hides(ty) => Some(quote!(-> #ty)),
                _ => None,
            };
            // A `return` and a `?` end the attempt.
            quote!({ #(#lets)* #krate::wrap::once(move || #output #block) })
        }
        Waits::Async => {
            let output = Some(&call.output).filter(|it| !hides(it)).map(|it| quote!(: #it));
            // On the span of the body, whose type may be what is wrong.
            let result = quote_spanned!(block.brace_token.span.join()=> async move #block.await);
            quote!({ #(#lets)* async move { let result #output = #result; result } })
        }
    }
}

/// The arguments as the function takes them apart.
fn patterns(sig: &Signature) -> impl Iterator<Item = TokenStream> {
    sig.inputs.iter().filter_map(|arg| match arg {
        FnArg::Typed(arg) => Some(arg.pat.to_token_stream()),
        FnArg::Receiver(_) => None,
    })
}

fn check(sig: &Signature, call: &Call, layers: &Layers, report: &mut Report) {
    let name = &sig.ident;
    let mutable = matches!(call.receiver, Receiver::Mutable | Receiver::Value | Receiver::Boxed | Receiver::Other);
    if mutable && layers.retries() {
        let what = format!("`{name}` cannot be called once more through this `self`: take `&self`, or protect a trait");
        report.tell(&sig.receiver(), Code::Unprotectable, what);
    }
    protectable(sig, call, layers, report);
}
