//! What a user reads who made a mistake; and the same without the mistake, which compiles.

mod pass {
    mod borrows;
    mod fallback;
    mod keys;
    mod signature;
    mod types;
    mod unprotectable;
    mod values;
}

#[test]
fn mistakes_are_told_where_they_are() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/macros/ui/*.rs");
}
