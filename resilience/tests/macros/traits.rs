//! B72: what a trait has beside the methods that are protected.

use std::fmt::{Debug, Display};

use resilience::prelude::*;

use crate::{Failure, is_send, still};

/// A trait with everything.
#[resilient]
pub trait Everything: Send + Sync + Debug + Display {
    /// A type.
    type Item: Clone;
    /// A type with a lifetime.
    type View<'a>: AsRef<str>
    where
        Self: 'a;
    /// A constant.
    const SIZE: usize;

    /// No policy on it.
    fn n(&self) -> u8 {
        42
    }

    /// Calls one that has a policy.
    ///
    /// # Errors
    ///
    /// As that.
    fn twice(&self) -> Result<u8, Failure> {
        Ok(2 * self.once()?)
    }

    /// Has a policy.
    ///
    /// # Errors
    ///
    /// The second time.
    #[rate_limiter(permits = 1, period = "1h")]
    fn once(&self) -> Result<u8, Failure>;

    /// Without a `self`.
    fn make() -> u8;

    /// The item.
    ///
    /// # Errors
    ///
    /// None.
    #[bulkhead]
    fn item(&self) -> Result<Self::Item, Failure>;

    /// The view.
    fn view(&self) -> Self::View<'_>;
}

#[derive(Clone, Debug)]
struct One(String);

impl Display for One {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("one")
    }
}

impl Everything for One {
    type Item = String;
    type View<'a> = &'a str;
    const SIZE: usize = 3;

    fn n(&self) -> u8 {
        0
    }

    fn once(&self) -> Result<u8, Failure> {
        Ok(1)
    }

    fn make() -> u8 {
        9
    }

    fn item(&self) -> Result<String, Failure> {
        Ok("item".to_owned())
    }

    fn view(&self) -> &str {
        self.0.as_str()
    }
}

/// The supertraits that are not generated are the user's.
impl<D: Display> Display for EverythingResilient<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("resilient")
    }
}

type Wrapped = EverythingResilient<One>;

#[test]
fn everything_comes_from_the_implementor() {
    let one = is_send(Wrapped::new(One("view".to_owned()), &still()).unwrap());
    assert_eq!((one.n(), Wrapped::make(), Wrapped::SIZE), (0, 9, 3));
    assert_eq!((one.item(), one.view()), (Ok("item".to_owned()), "view"));
    assert!(format!("{one:?}").contains("One") && one.to_string() == "resilient");
    assert_eq!(one.clone().once(), Ok(1), "a clone has the same limiter");
    assert!(one.once().is_err());
    assert_eq!(one.twice(), Ok(2), "a default method calls the implementor's own, which nothing guards");
}

#[resilient]
trait Asks {
    type Item: Default;

    fn plain(&self) -> u8
    where
        Self: Clone + Send + Sized;

    #[retry(delay = "0")]
    fn item(&self) -> Result<<Self as Asks>::Item, Failure>
    where
        Self::Item: Clone;

    #[cfg_attr(all(), deprecated = "on purpose")]
    #[rate_limiter]
    fn old(&self) -> Result<u8, Failure>
    where
        Self: 'static;
}

impl Asks for One {
    type Item = u8;

    fn plain(&self) -> u8 {
        4
    }

    fn item(&self) -> Result<u8, Failure> {
        Ok(5)
    }

    fn old(&self) -> Result<u8, Failure> {
        Ok(6)
    }
}

#[test]
fn what_a_method_asks_of_its_trait_the_delegate_gives() {
    let one = AsksResilient::new(One("view".to_owned()), &still()).unwrap();
    #[expect(deprecated, reason = "the attribute is still there")]
    let old = one.old();
    assert_eq!((one.plain(), one.item(), old), (4, Ok(5), Ok(6)));
}

#[resilient]
trait Items
where
    Self::Error: From<Rejection>,
    Vec<Self::Error>: Send,
{
    type Error;

    #[rate_limiter(permits = 1, period = "1h")]
    fn item(&self) -> Result<u8, Self::Error>;
}

impl Items for One {
    type Error = Failure;

    fn item(&self) -> Result<u8, Failure> {
        Ok(7)
    }
}

#[test]
fn what_a_trait_asks_of_its_types_those_of_the_delegate_are() {
    let one = ItemsResilient::new(One("view".to_owned()), &still()).unwrap();
    assert_eq!(one.item(), Ok(7));
    assert!(matches!(one.item(), Err(Failure::Rejected(_))));
}

#[resilient]
trait Object {
    #[rate_limiter(permits = 1, period = "1h")]
    fn call(&self) -> Result<u8, Failure>;
}

impl Object for One {
    fn call(&self) -> Result<u8, Failure> {
        Ok(1)
    }
}

#[test]
fn a_trait_object_holds_a_wrapper() {
    let object: Box<dyn Object> = Box::new(ObjectResilient::new(One("view".to_owned()), &still()).unwrap());
    assert_eq!(object.call(), Ok(1));
    assert!(object.call().is_err());
}

#[resilient]
trait Generic<T: Clone, const N: usize, D = u8>
where
    T: PartialEq,
{
    #[retry(delay = "0")]
    fn get(&self, key: T) -> Result<[T; N], Failure>;

    fn other(&self, of: D) -> D;
}

impl Generic<u8, 2> for One {
    fn get(&self, key: u8) -> Result<[u8; 2], Failure> {
        Ok([key; 2])
    }

    fn other(&self, of: u8) -> u8 {
        of + 1
    }
}

#[test]
fn the_parameters_of_a_trait_are_those_of_the_wrapper() {
    let one = GenericResilient::new(One("view".to_owned()), &still()).unwrap();
    assert_eq!(one.get(3), Ok([3, 3]));
    assert_eq!(one.other(3), 4);
}
