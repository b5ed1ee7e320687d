use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::{GenericParam, Ident, ItemTrait, Signature, Type, TypeParamBound, WherePredicate};

use super::{Member, async_trait_sends};
use crate::{
    layers::Layers,
    signature::{Receiver, Waits, mentions},
};

/// The parameters of the trait, and one more for the delegate.
pub(crate) struct Generics<'a> {
    item: &'a ItemTrait,
    pub(crate) delegate: Ident,
    /// Futures that have to be `Send` hold a reference to the delegate.
    shares: bool,
    /// What methods ask of `Self`.
    asked: Vec<TypeParamBound>,
}

impl<'a> Generics<'a> {
    pub(crate) fn of(item: &'a ItemTrait, members: &[Member]) -> Self {
        // The trait may have a parameter of that name, a method too, and a type of that name may be meant.
        let tokens = item.to_token_stream();
        let mut free = "D".to_owned();
        while mentions(&tokens, &free) {
            free = if free == "D" { "Delegate".to_owned() } else { free + "_" };
        }
        let through_self = |it: &Member| matches!(it.call.receiver, Receiver::Shared | Receiver::Mutable);
        let repeats = |it: &Member| it.layers.as_ref().is_some_and(Layers::repeats);
        let holds = |it: &Member| it.call.must_send && through_self(it) && repeats(it);
        let by_attribute = async_trait_sends(item) && members.iter().any(|it| it.call.waits == Waits::Async);
        let shares = by_attribute || members.iter().any(holds);
        let mut asked = Vec::new();
        for bound in members.iter().flat_map(|it| asked_of_self(&it.sig)) {
            if !asked.contains(bound) {
                asked.push(bound.clone());
            }
        }
        Self { item, delegate: format_ident!("{free}"), shares, asked }
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
        // What is asked of `Self::Item` cannot be asked of the wrapper, whose items this is about to say.
        let own = quote!(<#delegate as #ident #args>);
        let predicates = self.item.generics.where_clause.iter().flat_map(|it| &it.predicates).map(|it| match it {
            WherePredicate::Type(it) if !is_self(&it.bounded_ty) => of_delegate(&own, it.to_token_stream()),
            _ => it.to_token_stream(),
        });
        let shares = self.shares.then(|| quote!(+ ::core::marker::Send + ::core::marker::Sync));
        // What the trait itself asks of its implementors, the wrapper has to be: the user says how.
        let supertraits = self.item.supertraits.iter().filter(|it| !matches!(it, syn::TypeParamBound::Lifetime(_)));
        let lifetimes = self.item.supertraits.iter().filter(|it| matches!(it, syn::TypeParamBound::Lifetime(_)));
        let own = supertraits.clone().next().is_some().then(|| quote!(Self: #(#supertraits)+*,));
        let outlives = lifetimes.map(|it| quote!(#delegate: #it,));
        let asked = &self.asked;
        quote!(where #delegate: #ident #args #shares #(+ #asked)*, #own #(#outlives)* #(#predicates,)*)
    }
}

/// What a method asks of `Self` beside what the trait does: the delegate, on which it is called, has to be that too.
pub(super) fn asked_of_self(sig: &Signature) -> impl Iterator<Item = &TypeParamBound> {
    let predicates = sig.generics.where_clause.iter().flat_map(|it| &it.predicates);
    let of_self = predicates.filter_map(|it| match it {
        WherePredicate::Type(it) if is_self(&it.bounded_ty) => Some(it),
        _ => None,
    });
    of_self.flat_map(|it| &it.bounds).filter(|bound| match bound {
        TypeParamBound::Trait(it) => it.path.segments.last().is_none_or(|last| last.ident != "Sized"),
        _ => false,
    })
}

fn is_self(ty: &Type) -> bool {
    matches!(ty, Type::Path(it) if it.path.is_ident("Self"))
}

/// `own::Item` for each `Self::Item`.
fn of_delegate(own: &TokenStream, tokens: TokenStream) -> TokenStream {
    let mut tokens = tokens.into_iter().peekable();
    let mut all = TokenStream::new();
    while let Some(token) = tokens.next() {
        let goes_on = matches!(tokens.peek(), Some(TokenTree::Punct(it)) if it.as_char() == ':');
        match token {
            TokenTree::Ident(it) if it == "Self" && goes_on => all.extend(own.clone()),
            TokenTree::Group(it) => all.extend([Group::new(it.delimiter(), of_delegate(own, it.stream()))]),
            token => all.extend([token]),
        }
    }
    all
}
