//! One run: a server, shoppers, and a pipeline with the limiter on or off. Nothing is left of it for the next one.

use std::{io, sync::Arc, time::Duration};

use resilience::{
    event::{Event, Subscription},
    prelude::*,
    ratelimiter,
};
use tokio::{
    task::JoinSet,
    time::{sleep, timeout},
};

use super::{
    options::Options,
    pipeline::{self, Storefront},
    service::{self, Service},
    shopper::Shopper,
    table::Table,
    tally::{Calls, Tally},
    windows::Quota,
};
use crate::{Trouble, configuration::Configuration, prices::Prices, screen::Screen, server::Server};

/// How long the client waits for an answer that never comes.
const PATIENCE: Duration = Duration::from_secs(30);

/// What happened at the very end of a second is counted a little later.
const SETTLE: Duration = Duration::from_millis(20);

pub(crate) struct Run {
    registry: Registry,
    pipeline: Arc<Storefront>,
    limiter: Arc<RateLimiter>,
    configuration: Configuration,
}

/// What a run showed.
pub(crate) struct Findings {
    pub(crate) calls: Calls,
    /// The most calls that arrived in one window of the server.
    pub(crate) busiest: u64,
    /// Why the first call failed, if any did.
    pub(crate) failure: Option<String>,
}

impl Run {
    pub(crate) fn new(options: &Options, enabled: bool) -> Result<Self, Trouble> {
        let registry = Registry::new();
        let configuration = if enabled { options.configuration.read(&registry)? } else { Configuration::default() };
        let pipeline = Arc::new(pipeline::build(&registry, options, enabled)?);
        let limiter = registry.rate_limiter(pipeline::ID)?;
        Ok(Self { registry, pipeline, limiter, configuration })
    }

    pub(crate) async fn play(self, screen: &Screen, options: &Options) -> io::Result<Findings> {
        let table = Table::begin(screen, self.limiter.config().enabled)?;
        let clock = self.registry.clock();
        let tally = Arc::new(Tally::new(clock.now(), options.seconds));
        let _subscription = self.listen(&tally);
        let service = Arc::new(Service {
            quota: Quota::new(options.quota(), options.period, tally.second(0)),
            clock: clock.clone(),
            tally: Arc::clone(&tally),
        });
        let server = Server::start(service::router(Arc::clone(&service))).await?;
        let shoppers = self.open(&server, options, &tally)?;

        for second in 0..options.seconds {
            sleep(tally.second(second + 1).since(clock.now())).await;
            let permits = self.limiter.available_permits();
            sleep(SETTLE).await;
            self.configuration.show(screen, tally.second(0))?;
            table.row(second + 1, tally.calls(second), permits)?;
        }

        shoppers.join_all().await;
        server.stop().await?;
        Ok(Findings { calls: tally.total(), busiest: service.quota.busiest(), failure: tally.failure() })
    }

    /// What the limiter does is told by its events. An admitted call that did not wait publishes none.
    fn listen(&self, tally: &Arc<Tally>) -> Subscription {
        let tally = Arc::clone(tally);
        self.registry.events().subscribe(move |event: &Event<'_>| {
            match event.payload() {
                Some(ratelimiter::Event::Rejected(_)) => tally.count(event.at, |calls| calls.rejected += 1),
                // Counted when it goes on, as all that is admitted.
                Some(ratelimiter::Event::WaitStarted { start, .. }) => tally.count(*start, |calls| calls.waited += 1),
                _ => {}
            }
        })
    }

    /// Lets the shoppers in; each leaves at the end, whatever it is waiting for.
    fn open(&self, server: &Server, options: &Options, tally: &Arc<Tally>) -> io::Result<JoinSet<()>> {
        let shopper = Shopper {
            pipeline: Arc::clone(&self.pipeline),
            prices: Prices::new(server.url(), PATIENCE)?,
            clock: self.registry.clock().clone(),
            tally: Arc::clone(tally),
        };
        let left = tally.second(options.seconds).since(shopper.clock.now());
        let mut shoppers = JoinSet::new();
        for _ in 0..options.clients {
            let shop = shopper.clone().shop();
            shoppers.spawn(async move {
                // Shopping never ends by itself: running out of time is how it should end.
                _ = timeout(left, shop).await;
            });
        }
        Ok(shoppers)
    }
}
