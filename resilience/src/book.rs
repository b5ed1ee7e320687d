//! The manual's examples are tests. Pages that are not here are rendered from the crates, whose tests they are.

macro_rules! pages {
    ($($name:ident = $page:literal,)*) => {
        $(
            #[cfg(all(doctest, feature = "full"))]
            #[doc = include_str!(concat!("../../docs/en/", $page, ".md"))]
            struct $name;
        )*
    };
}

pages! {
    GettingStarted = "getting-started",
    Pipeline = "pipeline",
    Fallback = "fallback",
    Testing = "testing",
    AntiPatterns = "anti-patterns",
    OwnPolicy = "own-policy",
    Faq = "faq",
    ChoosingValues = "choosing-values",
    Observability = "observability",
}
