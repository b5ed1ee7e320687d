use proc_macro2::TokenStream;
use quote::quote;
use syn::{ItemTrait, TraitItem};

use super::Generics;

/// Types and constants are those of the delegate.
pub(crate) fn forwarded(item: &ItemTrait, generics: &Generics<'_>) -> TokenStream {
    let (ident, args, delegate) = (&item.ident, generics.trait_args(), &generics.delegate);
    let forwarded = item.items.iter().filter_map(|item| match item {
        TraitItem::Const(it) => {
            let (name, ty) = (&it.ident, &it.ty);
            let cfgs = it.attrs.iter().filter(|it| it.path().is_ident("cfg"));
            Some(quote!(#(#cfgs)* const #name: #ty = <#delegate as #ident #args>::#name;))
        }
        TraitItem::Type(it) => {
            let name = &it.ident;
            let cfgs = it.attrs.iter().filter(|it| it.path().is_ident("cfg"));
            let (params, names, bounds) = it.generics.split_for_impl();
            Some(quote!(#(#cfgs)* type #name #params = <#delegate as #ident #args>::#name #names #bounds;))
        }
        _ => None,
    });
    quote!(#(#forwarded)*)
}
