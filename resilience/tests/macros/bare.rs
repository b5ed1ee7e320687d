//! Crates that see little.

/// Without a prelude, and the facade under another name.
mod no_prelude {
    #![no_implicit_prelude]

    mod renamed {
        pub(super) use ::resilience::*;
    }

    #[::resilience::resilient(crate = "self::renamed")]
    pub(super) trait Bare {
        #[retry(delay = "0")]
        #[rate_limiter]
        #[fallback(method = "other")]
        async fn call(&self, key: ::std::string::String) -> ::core::result::Result<u8, crate::Failure>;

        async fn other(&self, key: ::std::string::String) -> ::core::result::Result<u8, crate::Failure>;
    }
}

use no_prelude::{Bare, BareResilient};

use crate::{Failure, now, still};

struct Service;

impl Bare for Service {
    async fn call(&self, _: String) -> Result<u8, Failure> {
        Err(Failure::Down)
    }

    async fn other(&self, key: String) -> Result<u8, Failure> {
        u8::try_from(key.len()).map_err(|_| Failure::Down)
    }
}

#[test]
fn neither_the_prelude_nor_the_name_of_the_crate_matters() {
    let bare = BareResilient::new(Service, &still()).unwrap();
    assert_eq!(now(bare.call("abc".to_owned())), Ok(3));
}
