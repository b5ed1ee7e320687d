use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{GenericParam, Ident, ItemTrait};

use super::{Member, async_trait_sends};
use crate::{
    layers::Layers,
    signature::{Receiver, Waits},
};

/// The parameters of the trait, and one more for the delegate.
pub(crate) struct Generics<'a> {
    item: &'a ItemTrait,
    pub(crate) delegate: Ident,
    /// Futures that have to be `Send` hold a reference to the delegate.
    shares: bool,
}

impl<'a> Generics<'a> {
    pub(crate) fn of(item: &'a ItemTrait, members: &[Member]) -> Self {
        let params = item.generics.params.iter();
        let taken: Vec<_> = params
            .map(|param| match param {
                GenericParam::Type(it) => it.ident.to_string(),
                GenericParam::Const(it) => it.ident.to_string(),
                GenericParam::Lifetime(_) => String::new(),
            })
            .collect();
        let names = ["D", "Delegate", "ResilientDelegate"];
        let free = names.into_iter().find(|name| !taken.iter().any(|it| it == name)).unwrap_or("TheDelegate");
        let through_self = |it: &Member| matches!(it.call.receiver, Receiver::Shared | Receiver::Mutable);
        let repeats = |it: &Member| it.layers.as_ref().is_some_and(Layers::repeats);
        let holds = |it: &Member| it.call.must_send && through_self(it) && repeats(it);
        let by_attribute = async_trait_sends(item) && members.iter().any(|it| it.call.waits == Waits::Async);
        let shares = by_attribute || members.iter().any(holds);
        Self { item, delegate: format_ident!("{free}"), shares }
    }

    /// With bounds, for `impl<..>`.
    pub(crate) fn params(&self) -> TokenStream {
        let mut params: Vec<_> = self.item.generics.params.iter().cloned().collect();
        for param in &mut params {
            match param {
                GenericParam::Type(it) => it.default = None,
                GenericParam::Const(it) => it.default = None,
                GenericParam::Lifetime(_) => {}
            }
        }
        let delegate = &self.delegate;
        quote!(#(#params,)* #delegate)
    }

    /// As the trait is named.
    pub(crate) fn trait_args(&self) -> TokenStream {
        let (_, args, _) = self.item.generics.split_for_impl();
        args.to_token_stream()
    }

    pub(crate) fn bounds(&self, ident: &Ident) -> TokenStream {
        let (delegate, args) = (&self.delegate, self.trait_args());
        let predicates = self.item.generics.where_clause.iter().flat_map(|it| &it.predicates);
        let shares = self.shares.then(|| quote!(+ ::core::marker::Send + ::core::marker::Sync));
        // What the trait itself asks of its implementors, the wrapper has to be: the user says how.
        let supertraits = self.item.supertraits.iter().filter(|it| !matches!(it, syn::TypeParamBound::Lifetime(_)));
        let lifetimes = self.item.supertraits.iter().filter(|it| matches!(it, syn::TypeParamBound::Lifetime(_)));
        let own = supertraits.clone().next().is_some().then(|| quote!(Self: #(#supertraits)+*,));
        let outlives = lifetimes.map(|it| quote!(#delegate: #it,));
        quote!(where #delegate: #ident #args #shares, #own #(#outlives)* #(#predicates,)*)
    }
}
