//! The examples of the README and of the operator's pages are tests.

#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

#[cfg(all(doctest, feature = "config"))]
#[doc = include_str!("../../docs/en/configuration.md")]
struct Configuration;

#[cfg(all(doctest, feature = "config"))]
#[doc = include_str!("../../docs/es/configuration.md")]
struct Configuracion;
