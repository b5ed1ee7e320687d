//! What a user reads who made a mistake.

#[test]
fn mistakes_are_told_where_they_are() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/macros/ui/*.rs");
}
