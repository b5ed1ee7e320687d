//! A result that borrows mutably what another attempt or the fallback would need.

use resilience::prelude::*;

#[derive(FromRejection)]
enum Failure {
    Rejected(Rejection),
}

#[resilient]
trait Api {
    #[retry]
    fn own(&mut self) -> Result<&mut u8, Failure>;

    #[retry]
    async fn later(&mut self) -> Result<Option<&u8>, Failure>;

    #[retry]
    fn argument<'a>(&self, from: &'a mut Vec<u8>) -> Result<&'a u8, Failure>;

    #[fallback(method = "instead")]
    fn recovered(&mut self) -> Result<View<'_>, Failure>;

    fn instead(&mut self) -> Result<View<'_>, Failure>;

    #[retry]
    fn iterate(&mut self) -> Result<impl Iterator<Item = u8>, Failure>;
}

type View<'a> = &'a u8;

#[resilient(registry = REGISTRY)]
#[retry]
fn function(from: &mut Vec<u8>) -> Result<Box<dyn Iterator<Item = &u8> + '_>, Failure> {
    Ok(Box::new(from.iter()))
}

fn main() {}
