//! What is written holds nothing that one would not write by hand: the example of the documentation, for people to look at.

use proc_macro2::TokenStream;

use syn::{File, Item};

use crate::options::expand;

#[test]
fn the_example_expands_to_what_one_would_write() {
    let item = include_str!("expansion/search_api.in").parse().expect("tokens");
    let file = syn::parse2(expand(TokenStream::new(), &item)).expect("Rust");
    let written = prettyplease::unparse(&file);
    let expected = include_str!("expansion/search_api.out");
    assert!(written == expected, "expansion/search_api.out differs from:\n{written}");
}

#[test]
fn the_example_is_that_of_the_page() {
    let page = include_str!("../../resilience/docs/traits.md");
    let example = include_str!("expansion/search_api.in");
    let search = example.lines().take_while(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
    assert!(page.contains(&search), "{search}");
}

#[test]
fn the_page_shows_what_is_written() {
    let page = include_str!("../../resilience/docs/traits.md");
    let between = |from: &str, to: &str| {
        let (_, rest) = page.split_once(from).expect("it begins so");
        let (inside, _) = rest.split_once(to).expect("it ends so");
        inside.parse::<TokenStream>().expect("tokens")
    };
    let shown = syn::parse2::<File>(between("```text", "```")).expect("Rust");
    let item = between("#[resilient]", "struct Backend;");
    let mut written = syn::parse2::<File>(expand(TokenStream::new(), &item)).expect("Rust");
    written.items.retain(|item| matches!(item, Item::Impl(it) if it.trait_.is_some()));
    for item in &mut written.items {
        if let Item::Impl(it) = item {
            it.attrs.clear();
        }
    }
    assert_eq!(prettyplease::unparse(&shown), prettyplease::unparse(&written));
}
