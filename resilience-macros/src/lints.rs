//! What the user allowed of an item holds for what is written of it.

use syn::{Attribute, parse_quote};

/// The lints that `attrs` allow or expect; what is expected may be missing in what is written.
pub(crate) fn allowed(attrs: &[Attribute]) -> impl Iterator<Item = Attribute> + '_ {
    let lints = attrs.iter().filter(|attr| attr.path().is_ident("allow") || attr.path().is_ident("expect"));
    lints.filter_map(|attr| attr.meta.require_list().ok()).map(|list| {
        let tokens = &list.tokens;
        // For the user's reason, which is among the tokens.
        parse_quote!(#[allow(#tokens)])
    })
}
