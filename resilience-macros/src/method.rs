//! The body of a protected method.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Ident, Path, spanned::Spanned};

use crate::signature::{Arg, By, Call, Fallible, Waits};

/// What a body is made of.
pub(crate) struct Body<'a> {
    pub(crate) krate: &'a Path,
    pub(crate) call: &'a Call,
    /// An expression for the pipeline.
    pub(crate) pipeline: TokenStream,
    /// Makes the call, or its future, of what it is called through and these arguments.
    pub(crate) run: &'a dyn Fn(&TokenStream, &[TokenStream]) -> TokenStream,
    /// What it is called through.
    pub(crate) through: TokenStream,
    /// That is `&mut` and needed by one attempt after the other.
    pub(crate) lends: bool,
    /// A second attempt may follow.
    pub(crate) retries: bool,
    pub(crate) fallback: Option<Recovery>,
    /// Whether it is protected at all, its type tells.
    pub(crate) by_type: bool,
}

/// What is done in place of a call.
pub(crate) struct Recovery {
    /// An expression for the `Fallbacks`.
    pub(crate) fallbacks: TokenStream,
    /// The call of the fallback method up to its arguments.
    pub(crate) method: TokenStream,
    pub(crate) takes_error: bool,
    pub(crate) is_async: bool,
    pub(crate) span: Span,
}

/// A local variable that no name of the user's can meet.
pub(crate) fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// Tokens that stand where `span` is: an expression of theirs is shown there, and not at the macro.
pub(crate) fn on(span: Span, tokens: TokenStream) -> TokenStream {
    let moved = tokens.into_iter().map(|mut token| {
        token.set_span(span);
        token
    });
    moved.collect()
}

impl Body<'_> {
    pub(crate) fn tokens(&self) -> TokenStream {
        let imports = self.asks_type().then(|| {
            let (krate, output) = (self.krate, &self.call.output);
            let returns = local("returns");
            quote! {
                use #krate::wrap::{OfResult as _, OfValue as _};
                let #returns = &#krate::wrap::Returns::<#output>::new();
            }
        });
        let outcome = if self.fallback.is_some() { self.with_fallback() } else { self.without_fallback() };
        quote!(#imports #outcome)
    }

    /// Only types tell whether it is a `Result`.
    fn asks_type(&self) -> bool {
        self.by_type || (self.fallback.is_some() && self.call.fallible() != Fallible::Yes)
    }

    fn is_async(&self) -> bool {
        self.call.waits != Waits::Sync
    }

    /// Arguments are needed once more.
    fn repeats(&self) -> bool {
        self.retries || self.fallback.is_some()
    }

    fn without_fallback(&self) -> TokenStream {
        let (pipeline, made) = (&self.pipeline, self.made(|call| call));
        let method = self.name("call");
        // On the span of the type, which is what may be wrong.
        let span = self.call.output.span();
        let wait = self.is_async().then(|| quote!(.await));
        let called = if self.by_type {
            let returns = local("returns");
            quote_spanned!(span=> #returns.#method(&#pipeline, #made)#wait)
        } else {
            let method = Ident::new(&method.to_string(), span);
            quote!(#pipeline.#method(#made)#wait)
        };
        let lent = self.lent();
        quote!(#(#lent)* #called)
    }

    fn with_fallback(&self) -> TokenStream {
        let Recovery { fallbacks, method: recover, takes_error, is_async, span: at_name } =
            self.fallback.as_ref().expect("there is one");
        let [value, error, pipeline] = ["value", "error", "pipeline"].map(local);
        let (krate, output, returns) = (self.krate, &self.call.output, local("returns"));
        let (split, join, told): (&dyn Fn(TokenStream) -> TokenStream, _, _) = if self.asks_type() {
            (&|call| quote!(#returns.split(#call)), quote!(#returns.join(#value)), quote!(#returns.error(#error)))
        } else {
            let told = on(*at_name, quote!(#krate::wrap::told));
            (
                &|call| call,
                quote!(::core::result::Result::Ok(#value)),
                quote_spanned!(*at_name=> #told::<#output>(#error)),
            )
        };
        let made = self.made(split);
        let method = self.name("execute");
        let wait = self.is_async().then(|| quote!(.await));
        let through = &self.through;
        let args = self.call.args.iter().map(|Arg { name, .. }| quote!(#name));
        let args = Some(quote!(#through)).filter(|it| !it.is_empty()).into_iter().chain(args);
        let args = args.chain(takes_error.then(|| quote_spanned!(*at_name=> &#told)));
        let wait_too = is_async.then(|| quote!(.await));
        let (at, lent, result) = (&self.pipeline, self.lent(), local("result"));
        // What is lent is the fallback's again.
        let called = if lent.is_empty() {
            quote!(#pipeline.#method(#made)#wait)
        } else {
            quote!({ #(#lent)* let #result = #pipeline.#method(#made)#wait; #result })
        };
        let applied = quote!(#fallbacks.applied(#pipeline.id(), #error););
        let applied = if *takes_error { quote!(let #error = #applied) } else { applied };
        let recovered = quote_spanned!(*at_name=> #recover(#(#args),*)#wait_too);
        quote! {
            let #pipeline = &#at;
            match #called {
                ::core::result::Result::Ok(#value) => #join,
                ::core::result::Result::Err(#error) => {
                    #applied
                    #recovered
                }
            }
        }
    }

    /// `call`, `call_once`, `call_async`, `call_future`; the same of `execute`.
    fn name(&self, stem: &str) -> Ident {
        match (self.is_async(), self.retries) {
            (false, true) => format_ident!("{stem}"),
            (false, false) => format_ident!("{stem}_once"),
            (true, true) => format_ident!("{stem}_async"),
            (true, false) => format_ident!("{stem}_future"),
        }
    }

    /// What the pipeline is given: a closure, or the future itself. `split` is told what the call returns.
    fn made(&self, split: impl Fn(TokenStream) -> TokenStream) -> TokenStream {
        let splits = self.fallback.is_some() && self.asks_type();
        let call = (self.run)(&self.receiver(), &self.args());
        let future = local("future");
        match (self.is_async(), self.retries) {
            (false, _) => {
                let call = split(call);
                let by_move = (!self.repeats()).then(|| quote!(move));
                quote!(#by_move || #call)
            }
            (true, true) => {
                let loans = self.loans();
                if !loans.is_empty() {
                    let copies = self.copies();
                    let awaited = split(quote!(#call.await));
                    quote!(|| { #(#loans)* #(#copies)* async move { #awaited } })
                } else if splits {
                    let awaited = split(quote!(#future.await));
                    quote!(|| { let #future = #call; async move { #awaited } })
                } else {
                    quote!(|| #call)
                }
            }
            (true, false) if splits => {
                let awaited = split(quote!(#future.await));
                quote!({ let #future = #call; async move { #awaited } })
            }
            (true, false) => call,
        }
    }

    /// The arguments of one call.
    fn args(&self) -> Vec<TokenStream> {
        let in_future = self.is_async() && self.retries && !self.loans().is_empty();
        let krate = self.krate;
        let passed = self.call.args.iter().map(|Arg { name, by }| match by {
            By::Mutable if self.repeats() => quote!(&mut *#name),
            By::Value if self.repeats() && !in_future => {
                let span = name.span();
                quote_spanned!(span=> #krate::wrap::Repeatable::again(&#name))
            }
            _ => quote!(#name),
        });
        passed.collect()
    }

    /// What one call is called through.
    fn receiver(&self) -> TokenStream {
        let through = &self.through;
        let delegate = local("delegate");
        if self.lends { quote!(&mut *#delegate) } else { quote!(#through) }
    }

    /// Futures of several attempts cannot share the borrow of one closure: what is `&mut` is lent to each.
    fn lent(&self) -> Vec<TokenStream> {
        if !(self.is_async() && self.retries) {
            return Vec::new();
        }
        let krate = self.krate;
        let (through, delegate) = (&self.through, local("delegate"));
        let lent = self.lends.then(|| quote!(let #delegate = #krate::wrap::Lent::new(&mut *#through);));
        let args = self.mutable().map(|name| quote!(let #name = #krate::wrap::Lent::new(&mut *#name);));
        lent.into_iter().chain(args).collect()
    }

    fn loans(&self) -> Vec<TokenStream> {
        let delegate = local("delegate");
        let lent = self.lends.then_some(&delegate);
        lent.into_iter().chain(self.mutable()).map(|name| quote!(let mut #name = #name.lend();)).collect()
    }

    fn copies(&self) -> Vec<TokenStream> {
        let krate = self.krate;
        let values = self.call.args.iter().filter(|arg| arg.by == By::Value);
        values.map(|Arg { name, .. }| quote!(let #name = #krate::wrap::Repeatable::again(&#name);)).collect()
    }

    fn mutable(&self) -> impl Iterator<Item = &Ident> {
        self.call.args.iter().filter(|arg| arg.by == By::Mutable).map(|arg| &arg.name)
    }
}
