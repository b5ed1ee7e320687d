//! The id of an instance that has no name: `<path>#<method>(<argument types>)`.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{FnArg, Signature};

/// An expression for the id of a method of `owner`, which is a trait or a type; of a function without one.
pub(crate) fn of(owner: Option<&dyn ToTokens>, sig: &Signature) -> TokenStream {
    let args: Vec<_> = sig
        .inputs
        .iter()
        .filter_map(|arg| match arg {
            FnArg::Receiver(_) => None,
            FnArg::Typed(arg) => Some(spaced(&without_lifetimes(arg.ty.to_token_stream(), &of_async_trait))),
        })
        .collect();
    let (name, args) = (sig.ident.to_string(), args.join(", "));
    let name = name.trim_start_matches("r#");
    let rest = match owner {
        Some(owner) => format!("::{}#{name}({args})", spaced(&owner.to_token_stream())),
        None => format!("::{name}({args})"),
    };
    quote!(::core::concat!(::core::module_path!(), #rest))
}

/// The id is the same above `#[async_trait]` and below it: these nobody wrote.
fn of_async_trait(lifetime: &Ident) -> bool {
    let name = lifetime.to_string();
    let number = name.strip_prefix("life").filter(|number| !number.is_empty());
    name == "async_trait" || number.is_some_and(|number| number.bytes().all(|it| it.is_ascii_digit()))
}

/// A type without those of its lifetimes that are `unwanted`.
pub(crate) fn without_lifetimes(ty: TokenStream, unwanted: &dyn Fn(&Ident) -> bool) -> TokenStream {
    let mut kept = TokenStream::new();
    let mut tokens = ty.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match (&token, tokens.peek()) {
            (TokenTree::Punct(it), Some(TokenTree::Ident(name))) if it.as_char() == '\'' && unwanted(name) => {
                tokens.next();
                tokens.next_if(|next| matches!(next, TokenTree::Punct(it) if it.as_char() == ','));
            }
            (TokenTree::Group(it), _) => {
                let inside = without_lifetimes(it.stream(), unwanted);
                kept.extend([TokenTree::from(Group::new(it.delimiter(), inside))]);
            }
            _ => kept.extend([token]),
        }
    }
    kept
}

/// Tokens as one writes them: `HashMap<&str, u8>`.
pub(crate) fn spaced(tokens: &impl ToTokens) -> String {
    let tokens = tokens.to_token_stream().to_string();
    let words: Vec<_> = tokens.split_whitespace().collect();
    let mut text = String::new();
    for (at, word) in words.iter().enumerate() {
        let before = at.checked_sub(1).map_or("", |at| words[at]);
        let is_word = |it: &str, at_end: bool| {
            let letter = if at_end { it.chars().next_back() } else { it.chars().next() };
            letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
        };
        let lifetime = before.starts_with('\'') && is_word(word, false);
        let apart = ["->", "=", "+", "=>"];
        let between = (is_word(before, true) && is_word(word, false))
            || lifetime
            || before.ends_with([',', ';', ':']) && !before.ends_with("::")
            || apart.contains(word)
            || apart.contains(&before)
            || (before == ">" && is_word(word, false))
            || (is_word(before, true) && *word == "'");
        if between && !text.is_empty() {
            text.push(' ');
        }
        text.push_str(word);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_as_one_writes_it() {
        for text in [
            "&str",
            "&'a str",
            "&mut HashMap<String, Vec<u8>>",
            "impl FnMut(&str) -> u8",
            "for<'z> fn(&'z str) -> &'z str",
            "[u8; 4]",
            "dyn Iterator<Item = u8> + Send",
            "std::io::Result<()>",
            "Type<'_>",
            "(u8, u16)",
        ] {
            let tokens: TokenStream = text.parse().unwrap();
            assert_eq!(spaced(&tokens), text);
        }
    }

    #[test]
    fn lifetimes_of_async_trait_are_left_out() {
        for (text, left) in [
            ("&'life0 str", "&str"),
            ("&'life str", "&'life str"),
            ("(Cow<'life12, str>, &'a u8)", "(Cow<str>, &'a u8)"),
        ] {
            let tokens: TokenStream = text.parse().unwrap();
            assert_eq!(spaced(&without_lifetimes(tokens, &of_async_trait)), left);
        }
    }
}
