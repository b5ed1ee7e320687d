//! A trait behind policies: the wrapper and its implementation.

mod associated;
mod bodies;
mod generics;
mod limits;
mod members;

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use resilience_keys::Code;
use syn::{Attribute, Ident, ItemTrait, Meta, TraitItem};

use crate::{layers::Layers, lints::allowed, options::Options, report::Report, setup, signature::mentions};
use generics::Generics;
use members::Member;

pub(crate) fn expand(options: &Options, mut item: ItemTrait, report: &mut Report) -> TokenStream {
    if let Some(registry) = &options.registry {
        report.tell(registry, Code::BadAttribute, "a wrapper is given its registry: `new(delegate, &registry)`");
    }
    if let Some(token) = &item.unsafety {
        report.tell(
            token,
            Code::Unprotectable,
            "the trait is unsafe, and the wrapper has no unsafe code to implement it",
        );
    }
    item.attrs.retain(|attr| {
        let again = attr.path().segments.last().is_some_and(|last| last.ident == "resilient");
        if again {
            report.tell(attr, Code::BadAttribute, "`resilient` is written twice");
        }
        !again
    });
    let outer = Layers::take(&mut item.attrs, report);
    outer.without_fallback(report);
    let members = members::take(&mut item, &outer, report);
    if !outer.is_empty() && report.is_empty() && !members.iter().any(|it| it.layers.is_some()) {
        let names: Vec<_> = outer.policies.iter().map(|it| it.section.name).collect();
        let what = format!("{} protects nothing: no method of the trait can fail", names.join(", "));
        report.tell(&item.ident, Code::Unprotectable, what);
    }
    let wrapper = if report.is_empty() { wrapper(options, &item, &members) } else { TokenStream::new() };
    quote!(#item #wrapper)
}

fn wrapper(options: &Options, item: &ItemTrait, members: &[Member]) -> TokenStream {
    let krate = &options.krate;
    let (vis, ident) = (&item.vis, &item.ident);
    let name = format_ident!("{ident}Resilient");
    let generics = Generics::of(item, members);
    let (delegate_type, field) = (&generics.delegate, free(members, "delegate"));
    let guarded: Vec<_> = members.iter().filter(|it| it.layers.is_some()).collect();
    let layers = || guarded.iter().filter_map(|it| it.layers.as_ref());
    let fields = guarded.iter().map(|it| {
        let (cfgs, name, ty) = (it.cfgs(), it.field(), setup::pipeline_type(krate, it.layers()));
        quote!(#(#cfgs)* #name: #ty)
    });
    let fallbacks = layers().any(|it| it.fallback.is_some()).then(|| free(members, "fallbacks"));
    let fallbacks_field = fallbacks.iter().map(|name| quote!(#name: #krate::wrap::Fallbacks,));
    let fallbacks_value = fallbacks.iter().map(|name| quote!(#name: #krate::wrap::Fallbacks::new(registry),));
    let inits = guarded.iter().map(|it| {
        let (cfgs, name) = (it.cfgs(), it.field());
        let id = crate::id::of(Some(&ident), &it.sig);
        let built = setup::builder(krate, &quote!(registry), &id, it.layers());
        quote!(#(#cfgs)* #name: #built?)
    });
    let imports = setup::imports(krate, layers());
    let methods = members.iter().map(|it| it.tokens(krate, ident, &generics, &field, fallbacks.as_ref()));
    let associated = associated::forwarded(item, &generics);
    let (params, trait_args, bounds) = (generics.params(), generics.trait_args(), generics.bounds(ident));
    let allowed: Vec<_> = allowed(&item.attrs).collect();
    // A name of a method is that of a field, and lints look at all fields together.
    let mut of_fields: Vec<_> =
        guarded.iter().flat_map(|it| &it.attrs).filter(|it| it.path().is_ident("allow")).collect();
    of_fields.dedup();
    let carried: Vec<_> = item.attrs.iter().filter(|it| is_async_trait(it)).collect();
    // The wrapper calls what the user deprecated.
    let calls_deprecated = deprecates(item).then(|| quote!(#[allow(deprecated)]));
    let doc = format!(" [`{ident}`] behind its policies.");
    let new_doc = " Puts `delegate` behind policies that are instances of `registry`.\n\n # Errors\n\n \
                   R4C-REG-001 or R4C-REG-003 if a configuration is invalid as a whole, R4C-REG-004 for an unknown named \
                   config, R4C-REG-008 if a name is shared with an instance of another configuration.";
    let unused = guarded.is_empty().then(|| quote!(let _ = registry;));
    quote! {
        #(#allowed)*
        #(#of_fields)*
        #[doc = #doc]
        #[derive(::core::clone::Clone, ::core::fmt::Debug)]
        #vis struct #name<#delegate_type> {
            #field: #delegate_type,
            #(#fields,)*
            #(#fallbacks_field)*
        }

        #(#allowed)*
        impl<#delegate_type> #name<#delegate_type> {
            #[doc = #new_doc]
            #vis fn new(
                delegate: #delegate_type,
                registry: &#krate::Registry,
            ) -> ::core::result::Result<Self, #krate::RegistryError> {
                #imports
                #unused
                ::core::result::Result::Ok(Self {
                    #field: delegate,
                    #(#inits,)*
                    #(#fallbacks_value)*
                })
            }
        }

        #(#allowed)*
        #(#carried)*
        #[automatically_derived]
        #calls_deprecated
        // It has the names and the shapes that the user chose.
        #[allow(clippy::all, clippy::pedantic)]
        impl<#params> #ident #trait_args for #name<#delegate_type> #bounds {
            #associated
            #(#methods)*
        }
    }
}

/// A field name that no method has.
fn free(members: &[Member], name: &str) -> Ident {
    let mut name = name.to_owned();
    while members.iter().any(|it| it.layers.is_some() && *it.field() == *name) {
        name.push('_');
    }
    format_ident!("{name}")
}

pub(crate) fn is_async_trait(attr: &Attribute) -> bool {
    attr.path().segments.last().is_some_and(|last| last.ident == "async_trait")
}

/// Whether `#[async_trait]` makes futures that are `Send`.
fn async_trait_sends(item: &ItemTrait) -> bool {
    item.attrs.iter().filter(|it| is_async_trait(it)).any(|attr| match &attr.meta {
        Meta::List(list) => !list.tokens.to_string().contains("Send"),
        _ => true,
    })
}

/// Whether the user deprecated what the wrapper calls.
fn deprecates(item: &ItemTrait) -> bool {
    let inside = item.items.iter().flat_map(|entry| match entry {
        TraitItem::Fn(it) => it.attrs.as_slice(),
        TraitItem::Const(it) => it.attrs.as_slice(),
        TraitItem::Type(it) => it.attrs.as_slice(),
        _ => &[],
    });
    item.attrs.iter().chain(inside).any(|attr| mentions(&attr.meta.to_token_stream(), "deprecated"))
}
