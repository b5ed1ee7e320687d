//! What must not compile, and what a user reads then. Each has a twin that compiles.

#[test]
fn mistakes_are_compile_errors_that_say_what_to_do() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/pass/*.rs");
    cases.compile_fail("tests/ui/fail/*.rs");
}
