//! What the page shows: a registry with instances, served on this machine, and faults in them.

use std::{future::pending, net::SocketAddr, time::Duration};

use anyhow::Result;
use axum::Router;
use resilience::{Random, breaker::State, dashboard::Dashboard, prelude::*};
use tokio::{net::TcpListener, task::JoinHandle};

pub(crate) struct Service {
    pub(crate) registry: Registry,
    pub(crate) address: SocketAddr,
    dashboard: Dashboard,
    server: JoinHandle<()>,
}

impl Service {
    /// With so many instances, for whoever comes.
    pub(crate) async fn open(instances: usize) -> Result<Self> {
        Self::of(&names(instances)).await
    }

    /// Without instances, so far.
    pub(crate) async fn empty() -> Result<Self> {
        Self::of(&[]).await
    }

    pub(crate) async fn of(ids: &[String]) -> Result<Self> {
        Self::on(&Clock::system(), ids).await
    }

    /// On a clock that may be moved by hand, and so quickly.
    pub(crate) async fn on(clock: &Clock, ids: &[String]) -> Result<Self> {
        let registry = registry(clock, ids)?;
        let dashboard = Dashboard::builder(&registry).actions(true).build();
        Self::serve(registry, dashboard, ([127, 0, 0, 1], 0).into()).await
    }

    pub(crate) async fn locked(token: &str) -> Result<Self> {
        let registry = registry(&Clock::system(), &names(3))?;
        let dashboard = Dashboard::builder(&registry).token(token).build();
        Self::serve(registry, dashboard, ([127, 0, 0, 1], 0).into()).await
    }

    /// Another one at the address of one that is gone.
    pub(crate) async fn again(ids: &[String], address: SocketAddr) -> Result<Self> {
        let registry = registry(&Clock::system(), ids)?;
        let dashboard = Dashboard::new(&registry);
        Self::serve(registry, dashboard, address).await
    }

    async fn serve(registry: Registry, dashboard: Dashboard, address: SocketAddr) -> Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let app = Router::new().nest_service("/resilience", dashboard.router());
        let server = tokio::spawn(async move { axum::serve(listener, app).await.unwrap_or_default() });
        Ok(Self { registry, address, dashboard, server })
    }

    /// Without the slash at the end, as people type it.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/resilience", self.address)
    }

    /// How many pages are open.
    pub(crate) fn clients(&self) -> usize {
        self.dashboard.clients()
    }

    /// As if the process had ended.
    pub(crate) async fn stop(self) -> SocketAddr {
        self.server.abort();
        self.dashboard.close();
        _ = self.server.await;
        self.address
    }

    pub(crate) fn state(&self, id: &str) -> State {
        self.registry.circuit_breaker(id).expect("an instance").state()
    }

    /// Trips the breaker as a call would that fails again and again.
    pub(crate) fn trip(&self, id: &str) {
        let breaker = self.registry.circuit_breaker(id).expect("an instance");
        while breaker.state() == State::Closed {
            _ = breaker.execute(|| Err::<(), _>("down"));
        }
    }

    /// Something happens to an instance that shows for a while.
    pub(crate) fn fault(&self, id: &str, random: &Random) {
        let breaker = self.registry.circuit_breaker(id).expect("an instance");
        match random.next_u64() % 6 {
            0 => breaker.force_open(),
            1 => breaker.disable(),
            2 => breaker.metrics_only(),
            3 => breaker.reset(),
            _ => self.trip(id),
        }
    }

    /// Some traffic, of which some calls fail and some are too many.
    pub(crate) fn traffic(&self, id: &str, random: &Random) {
        let breaker = self.registry.circuit_breaker(id).expect("an instance");
        let limiter = self.registry.rate_limiter(id).expect("an instance");
        for _ in 0..random.next_u64() % 12 {
            if limiter.try_acquire().is_ok() {
                let fails = random.next_u64() % 6 == 0;
                _ = breaker.execute(|| if fails { Err("down") } else { Ok(()) });
            }
        }
    }

    /// A call that takes a slot for ever.
    pub(crate) fn occupy(&self, id: &str) -> JoinHandle<()> {
        let slots = self.registry.bulkhead(id).expect("an instance");
        tokio::spawn(async move {
            _ = slots.execute_async(pending::<Result<(), ()>>).await;
        })
    }
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("instance-{number:03}")).collect()
}

fn registry(clock: &Clock, ids: &[String]) -> Result<Registry> {
    let registry = Registry::builder().clock(clock.clone()).seed(7).build();
    for id in ids {
        Pipeline::builder(&registry, id.as_str())
            .retry(|it| it.max_attempts(2))
            .circuit_breaker(|it| it.window_size(20).minimum_calls(10).wait_in_open(Duration::from_secs(600)))
            .rate_limiter(|it| it.permits(20).period(Duration::from_secs(1)))
            .timeout(|it| it.timeout(Duration::from_secs(2)))
            .bulkhead(|it| it.max_concurrent(8))
            .build()?;
    }
    Ok(registry)
}
