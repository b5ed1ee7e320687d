//! What is written holds nothing that one would not write by hand: the example of the documentation, for people to look at.

use proc_macro2::TokenStream;

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
