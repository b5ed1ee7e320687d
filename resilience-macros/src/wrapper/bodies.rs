//! The methods of the wrapper.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{GenericParam, Ident, Path, Signature};

use super::{Generics, members::Member};
use crate::{
    layers::Layers,
    method::{Body, Recovery, local},
    signature::{Fallible, Receiver, Waits, this, with_names},
};

impl Member {
    /// The method of the wrapper.
    pub(crate) fn tokens(
        &self,
        krate: &Path,
        ident: &Ident,
        generics: &Generics<'_>,
        field: &Ident,
        fallbacks: Option<&Ident>,
    ) -> TokenStream {
        let attrs = &self.attrs;
        let sig = with_names(&self.sig);
        let (delegate, args) = (&generics.delegate, generics.trait_args());
        let of_trait = |at: Span| quote_spanned!(at=> <#delegate as #ident #args>);
        let turbofish = turbofish(&self.sig);
        let name = &self.sig.ident;
        let body = match &self.layers {
            None => self.forwarded(&of_trait(Span::call_site()), &turbofish, field),
            Some(layers) => {
                let own = of_trait(Span::call_site());
                let run =
                    |through: &TokenStream, args: &[TokenStream]| quote!(#own::#name #turbofish(#through, #(#args),*));
                self.protected(krate, layers, &of_trait, &run, field, fallbacks)
            }
        };
        quote!(#(#attrs)* #sig { #body })
    }

    fn forwarded(&self, of_trait: &TokenStream, turbofish: &TokenStream, field: &Ident) -> TokenStream {
        let (name, this) = (&self.sig.ident, this(&self.sig));
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
        of_trait: &dyn Fn(Span) -> TokenStream,
        run: &dyn Fn(&TokenStream, &[TokenStream]) -> TokenStream,
        field: &Ident,
        fallbacks: Option<&Ident>,
    ) -> TokenStream {
        let this = this(&self.sig);
        let name = self.field();
        let [pipeline, delegate, future] = ["pipeline", "delegate", "future"].map(local);
        let boxes = (self.call.receiver == Receiver::Boxed).then(|| quote!(::std::boxed::Box::new));
        let returns_future = matches!(self.call.waits, Waits::Future | Waits::Boxed);
        let repeats = layers.repeats();
        let fallback = layers.fallback.as_ref().zip(self.recovers.as_ref()).zip(fallbacks);
        let told = local("fallbacks");
        let (kept, held) = match self.call.receiver {
            Receiver::Shared if !returns_future || (repeats && !self.call.owns) => (None, quote!(&#this.#field)),
            Receiver::Shared => (Some(quote!(&#this.#name)), quote!(&#this.#field)),
            Receiver::Mutable => (Some(quote!(&#this.#name)), quote!(&mut #this.#field)),
            _ => (Some(quote!(#this.#name)), quote!(#boxes(#this.#field))),
        };
        let by_reference = matches!(self.call.receiver, Receiver::Shared | Receiver::Mutable);
        let owned = (self.call.owns && by_reference).then(|| quote!(::core::clone::Clone::clone));
        let (lets, at, through) = match kept {
            None => (None, quote!(#this.#name), held),
            Some(kept) => (
                Some(quote!(let (#pipeline, #delegate) = (#owned(#kept), #held);)),
                quote!(#pipeline),
                quote!(#delegate),
            ),
        };
        let fallback = fallback.map(|((fallback, found), fallbacks)| {
            let method = &fallback.method;
            let of_trait = of_trait(method.span());
            let fallbacks = if lets.is_some() { told.to_token_stream() } else { quote!(#this.#fallbacks) };
            Recovery {
                fallbacks,
                // On the span of its name, whose signature may be what is wrong.
                method: quote_spanned!(method.span()=> #of_trait::#method),
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
        let made_already = |_: &TokenStream, _: &[TokenStream]| future.to_token_stream();
        let made = at_once.then(|| {
            let args: Vec<_> = self.call.args.iter().map(|arg| arg.name.to_token_stream()).collect();
            let call = run(&through, &args);
            quote!(let #future = #call;)
        });
        let body = Body {
            krate,
            call: &self.call,
            pipeline: at,
            run: if at_once { &made_already } else { run },
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

fn turbofish(sig: &Signature) -> TokenStream {
    let names = sig.generics.params.iter().filter_map(|param| match param {
        GenericParam::Type(it) => Some(it.ident.to_token_stream()),
        GenericParam::Const(it) => Some(it.ident.to_token_stream()),
        GenericParam::Lifetime(_) => None,
    });
    let names: Vec<_> = names.collect();
    if names.is_empty() { TokenStream::new() } else { quote!(::<#(#names),*>) }
}
