//! What a signature says of a call.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident};
use syn::{
    FnArg, GenericArgument, Ident, Pat, PathArguments, ReturnType, Signature, Token, Type, parse_quote,
    punctuated::Punctuated,
};

use crate::promise::{Promise, boxed};

/// How a method waits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Waits {
    /// On its thread.
    Sync,
    /// `async fn`.
    Async,
    /// `-> impl Future<Output = ..>`.
    Future,
    /// `-> Pin<Box<dyn Future<Output = ..>>>`.
    Boxed,
}

/// Through what a method is called.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Receiver {
    None,
    Shared,
    Mutable,
    Value,
    Boxed,
    /// `Pin<&mut Self>`, `Arc<Self>`, ..
    Other,
}

/// How an argument is passed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    Shared,
    Mutable,
    Value,
}

pub(crate) struct Arg {
    pub(crate) name: Ident,
    pub(crate) by: By,
}

/// A signature, taken apart.
pub(crate) struct Call {
    pub(crate) waits: Waits,
    pub(crate) receiver: Receiver,
    pub(crate) args: Vec<Arg>,
    /// What comes out in the end.
    pub(crate) output: Type,
    /// A future that has to be `Send`.
    pub(crate) must_send: bool,
    /// A future that must not borrow.
    pub(crate) owns: bool,
}

impl Call {
    pub(crate) fn of(sig: &Signature) -> Self {
        let returned = match &sig.output {
            ReturnType::Default => parse_quote!(()),
            ReturnType::Type(_, ty) => bare(ty).clone(),
        };
        let plain = |waits, output| (waits, Promise { output, sends: false, owns: false });
        let (waits, promise) = match (&returned, sig.asyncness) {
            (_, Some(_)) => plain(Waits::Async, returned),
            (Type::ImplTrait(it), _) => match Promise::of(&it.bounds) {
                Some(promise) => (Waits::Future, promise),
                None => plain(Waits::Sync, returned),
            },
            _ => match boxed(&returned) {
                Some(promise) => (Waits::Boxed, promise),
                None => plain(Waits::Sync, returned),
            },
        };
        let Promise { output, sends: must_send, owns } = promise;
        let args = sig.inputs.iter().enumerate().filter_map(|(at, arg)| match arg {
            FnArg::Receiver(_) => None,
            FnArg::Typed(arg) => Some(Arg { name: name(at, &arg.pat), by: by(&arg.ty) }),
        });
        Self { waits, receiver: receiver(sig), args: args.collect(), output, must_send, owns }
    }

    /// What comes out can be a `Result`; a type that has no name cannot be asked.
    pub(crate) fn may_fail(&self) -> bool {
        match self.fallible() {
            Fallible::Yes => true,
            Fallible::Perhaps => !hides(&self.output),
            Fallible::No => false,
        }
    }

    /// What a fallback is told of.
    pub(crate) fn error(&self) -> Type {
        let mut args = arguments(&self.output, "Result").into_iter().flatten().filter_map(of_type);
        match (self.fallible(), args.nth(1)) {
            (Fallible::Yes, Some(error)) => error.clone(),
            (Fallible::No, _) => parse_quote!(Rejection),
            _ => parse_quote!(Error),
        }
    }

    /// What comes out is a `Result`, may be one, or is none.
    pub(crate) fn fallible(&self) -> Fallible {
        Fallible::of(&self.output)
    }
}

/// What syntax tells of a type; an alias may hide a `Result`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fallible {
    Yes,
    Perhaps,
    No,
}

impl Fallible {
    fn of(ty: &Type) -> Self {
        match bare(ty) {
            Type::Path(path) => {
                let last = path.path.segments.last().expect("a path has a segment");
                let plain = [
                    "bool", "char", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "str", "u128", "u16",
                    "u32", "u64", "u8", "usize", "Arc", "Box", "Cow", "Duration", "Option", "Rc", "Self", "String",
                    "Vec",
                ];
                match last.ident.to_string().as_str() {
                    "Result" => Self::Yes,
                    name if plain.contains(&name) && path.qself.is_none() => Self::No,
                    _ => Self::Perhaps,
                }
            }
            Type::Macro(_) | Type::Infer(_) | Type::Verbatim(_) => Self::Perhaps,
            _ => Self::No,
        }
    }
}

/// The name under which an argument is passed on: its own, or one that nobody else has.
fn name(at: usize, pat: &Pat) -> Ident {
    match pat {
        Pat::Ident(it) if it.subpat.is_none() => it.ident.clone(),
        _ => format_ident!("arg{at}", span = Span::mixed_site()),
    }
}

/// `self` as the signature has it; nothing without one.
pub(crate) fn this(sig: &Signature) -> TokenStream {
    sig.receiver().map(|it| it.self_token.to_token_stream()).unwrap_or_default()
}

/// The signature with plain names in place of patterns.
pub(crate) fn with_names(sig: &Signature) -> Signature {
    let mut sig = sig.clone();
    for (at, arg) in sig.inputs.iter_mut().enumerate() {
        match arg {
            FnArg::Typed(arg) => {
                let name = name(at, &arg.pat);
                arg.attrs.clear();
                *arg.pat = parse_quote!(#name);
            }
            FnArg::Receiver(receiver) => {
                receiver.attrs.clear();
                if receiver.reference.is_none() {
                    receiver.mutability = None;
                }
            }
        }
    }
    sig
}

fn by(ty: &Type) -> By {
    match bare(ty) {
        Type::Reference(it) if it.mutability.is_some() => By::Mutable,
        Type::Reference(_) => By::Shared,
        _ => By::Value,
    }
}

/// A type without parentheses, which a macro by example writes unseen around what it was given.
pub(crate) fn bare(ty: &Type) -> &Type {
    match ty {
        Type::Paren(it) => bare(&it.elem),
        Type::Group(it) => bare(&it.elem),
        _ => ty,
    }
}

pub(crate) fn receiver(sig: &Signature) -> Receiver {
    let Some(receiver) = sig.receiver() else { return Receiver::None };
    let is_self = |ty: &Type| matches!(bare(ty), Type::Path(path) if path.path.is_ident("Self"));
    match bare(&receiver.ty) {
        ty if is_self(ty) => Receiver::Value,
        Type::Reference(it) if is_self(&it.elem) => {
            if it.mutability.is_some() {
                Receiver::Mutable
            } else {
                Receiver::Shared
            }
        }
        ty if inner(ty, "Box").is_some_and(is_self) => Receiver::Boxed,
        _ => Receiver::Other,
    }
}

/// Whether a type has an `impl Trait` in it.
pub(crate) fn hides(ty: &impl ToTokens) -> bool {
    mentions(&ty.to_token_stream(), "impl")
}

/// Whether a name stands somewhere in `tokens`.
pub(crate) fn mentions(tokens: &TokenStream, name: &str) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(it) => it == name,
        TokenTree::Group(it) => mentions(&it.stream(), name),
        _ => false,
    })
}

pub(crate) fn inner<'t>(ty: &'t Type, name: &str) -> Option<&'t Type> {
    arguments(ty, name)?.iter().find_map(of_type)
}

pub(crate) fn arguments<'t>(ty: &'t Type, name: &str) -> Option<&'t Punctuated<GenericArgument, Token![,]>> {
    let Type::Path(path) = bare(ty) else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == name)?;
    match &last.arguments {
        PathArguments::AngleBracketed(args) => Some(&args.args),
        _ => None,
    }
}

pub(crate) fn of_type(arg: &GenericArgument) -> Option<&Type> {
    match arg {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    }
}
