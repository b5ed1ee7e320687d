//! The examples of the page, and what else the limiter's page says of them.

use std::{
    task::{Context, Poll, Waker},
    time::Duration,
};

use resilience::{Code, prelude::*};

use crate::{Failure, registry};

/// A service with a quota.
#[resilient]
pub trait SearchApi {
    /// Ten a second.
    ///
    /// # Errors
    ///
    /// Beyond it.
    #[rate_limiter(permits = 10, period = "1s")]
    fn search(&self, query: &str) -> Result<String, Failure>;
}

struct Backend;

impl SearchApi for Backend {
    fn search(&self, query: &str) -> Result<String, Failure> {
        Ok(format!("results for {query}"))
    }
}

#[test]
fn a_burst_of_ten_then_one_every_tenth_of_a_second() {
    let clock = ManualClock::new();
    let registry = registry(&clock);
    let search = SearchApiResilient::new(Backend, &registry).unwrap();
    for n in 0..10 {
        assert!(search.search(&format!("q{n}")).is_ok());
    }
    let error = search.search("one too many").unwrap_err();
    let Failure::Rejected(rejection) = &error else { panic!("{error:?}") };
    assert_eq!(rejection.code(), Code::RateLimitExceeded);
    let id = concat!(module_path!(), "::SearchApi#search(&str)");
    assert_eq!(rejection.instance().as_str(), id);

    clock.advance(Duration::from_millis(100));
    assert_eq!(search.search("next").unwrap(), "results for next");
    assert!(search.search("again").is_err());
    assert_eq!(registry.rate_limiter(id).unwrap().available_permits(), 0);
}

#[resilient]
trait Maps {
    #[rate_limiter(name = "geocoding", permits = 5, period = "1s", max_wait = "500ms")]
    fn geocode(&self, address: String) -> Result<u8, Failure>;

    #[rate_limiter(name = "geocoding", permits = 5, period = "1s", max_wait = "500ms")]
    fn reverse(&self, latitude: f64, longitude: f64) -> Result<u8, Failure>;
}

struct World;

impl Maps for World {
    fn geocode(&self, address: String) -> Result<u8, Failure> {
        u8::try_from(address.len()).map_err(|_| Failure::Down)
    }

    fn reverse(&self, latitude: f64, longitude: f64) -> Result<u8, Failure> {
        if latitude < longitude { Ok(1) } else { Err(Failure::Down) }
    }
}

#[test]
fn methods_of_one_name_share_a_limit() {
    let clock = ManualClock::advancing();
    let registry = registry(&clock);
    let maps = MapsResilient::new(World, &registry).unwrap();
    for _ in 0..3 {
        assert_eq!(maps.geocode("abc".into()), Ok(3));
    }
    for _ in 0..2 {
        assert_eq!(maps.reverse(1.0, 2.0), Ok(1));
    }
    let begun = clock.now();
    assert_eq!(maps.reverse(1.0, 2.0), Ok(1), "the next waits 200 ms, within the 500 allowed");
    assert_eq!(clock.now().since(begun), Duration::from_millis(200));
}

#[resilient]
trait LaterMaps {
    #[rate_limiter(name = "geocoding-async", permits = 5, period = "1s", max_wait = "500ms")]
    async fn geocode(&self, address: &str) -> Result<usize, Failure>;
}

impl LaterMaps for World {
    async fn geocode(&self, address: &str) -> Result<usize, Failure> {
        Ok(address.len())
    }
}

#[test]
fn calls_beyond_the_burst_wait_up_to_half_a_second_and_give_back_their_permit_when_dropped() {
    let clock = ManualClock::new();
    let maps = LaterMapsResilient::new(World, &registry(&clock)).unwrap();
    let mut task = Context::from_waker(Waker::noop());
    let mut calls: Vec<_> = (0..8).map(|_| Box::pin(maps.geocode("abc"))).collect();
    let begun: Vec<_> = calls.iter_mut().map(|call| call.as_mut().poll(&mut task)).collect();
    assert!(begun[..5].iter().all(|it| *it == Poll::Ready(Ok(3))), "the burst");
    assert_eq!(begun[5..7], [Poll::Pending, Poll::Pending], "due after 200 and 400 ms");
    let Poll::Ready(Err(Failure::Rejected(rejection))) = &begun[7] else { panic!("{:?}", begun[7]) };
    assert_eq!(rejection.retry_after(), Some(Duration::from_millis(100)), "600 ms are 100 too many");

    drop(calls.remove(6));
    let mut next = Box::pin(maps.geocode("next"));
    assert_eq!(next.as_mut().poll(&mut task), Poll::Pending);
    clock.advance(Duration::from_millis(200));
    assert_eq!(calls[5].as_mut().poll(&mut task), Poll::Ready(Ok(3)));
    assert_eq!(next.as_mut().poll(&mut task), Poll::Pending);
    clock.advance(Duration::from_millis(200));
    assert_eq!(next.as_mut().poll(&mut task), Poll::Ready(Ok(4)), "in the place of the one that was dropped");
}
