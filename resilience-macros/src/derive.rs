//! `#[derive(FromRejection)]`.

use proc_macro2::TokenStream;
use quote::quote;
use resilience_keys::Code;
use syn::{Data, DeriveInput, Field, Fields, Type, parse::Parse};

use crate::{report::Report, signature::bare};

pub(crate) fn expand(item: TokenStream) -> TokenStream {
    let mut report = Report::default();
    let Some(item) = report.parsed(DeriveInput::parse, item) else { return report.into_tokens() };
    let ident = &item.ident;
    let places: Vec<_> = match &item.data {
        Data::Enum(it) => it
            .variants
            .iter()
            .filter_map(|variant| {
                let name = &variant.ident;
                Some((place(&variant.fields)?, quote!(Self::#name)))
            })
            .collect(),
        Data::Struct(it) => place(&it.fields).map(|place| (place, quote!(Self))).into_iter().collect(),
        Data::Union(_) => Vec::new(),
    };
    let [(field, path)] = places.as_slice() else {
        let what = format!(
            "`{ident}` needs one place for a rejection, such as a variant `Rejected(Rejection)`, and has {}",
            places.len()
        );
        report.tell(ident, Code::Unprotectable, what);
        return report.into_tokens();
    };
    let ty = &field.ty;
    let make = field.ident.as_ref().map_or_else(|| quote!(#path(rejection)), |name| quote!(#path { #name: rejection }));
    let (params, args, bounds) = item.generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #params ::core::convert::From<#ty> for #ident #args #bounds {
            fn from(rejection: #ty) -> Self {
                #make
            }
        }
    }
}

/// The only field, if it is a `Rejection`.
fn place(fields: &Fields) -> Option<&Field> {
    let mut all = fields.iter();
    let (field, None) = (all.next()?, all.next()) else { return None };
    match bare(&field.ty) {
        Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Rejection") => Some(field),
        _ => None,
    }
}
