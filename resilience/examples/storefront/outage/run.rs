//! One run: a service, customers, and a shop with policies or without. Nothing is left of it for the next one.

use std::{io, sync::Arc, time::Duration};

use resilience::prelude::*;
use tokio::{
    task::JoinSet,
    time::{sleep, timeout},
};

use super::{
    customer::Customer,
    findings::Findings,
    journal::Journal,
    options::Options,
    policies::Shop,
    script::Script,
    table::Table,
    upstream::{self, Upstream},
    watch::{self, look},
};
use crate::{Trouble, configuration::Configuration, prices::Prices, screen::Screen, server::Server};

/// How often the policies are looked at.
const GLANCE: Duration = Duration::from_millis(20);

/// What happened at the very end of a second is counted a little later.
const SETTLE: Duration = Duration::from_millis(10);

pub(crate) struct Run {
    registry: Registry,
    shop: Arc<Shop>,
    configuration: Configuration,
}

impl Run {
    pub(crate) fn without() -> Self {
        Self { registry: Registry::new(), shop: Arc::new(Shop::Plain), configuration: Configuration::default() }
    }

    pub(crate) fn with(options: &Options) -> Result<Self, Trouble> {
        let registry = Registry::new();
        let configuration = options.configuration.read(&registry)?;
        let shop = Arc::new(Shop::guarded(&registry, options)?);
        Ok(Self { registry, shop, configuration })
    }

    pub(crate) fn registry(&self) -> &Registry {
        &self.registry
    }

    pub(crate) async fn play(self, screen: &Screen, options: &Options) -> io::Result<Findings> {
        let clock = self.registry.clock().clone();
        let script = Script::new(clock.now(), options.step());
        let mut table = Table::begin(screen, &self.shop, script, options)?;
        let journal = Arc::new(Journal::new(script, options.customers));
        let _subscription = watch::listen(&self.registry, &journal);
        let upstream = Upstream { script, clock: clock.clone(), journal: Arc::clone(&journal) };
        let server = Server::start(upstream::router(Arc::new(upstream))).await?;
        let customers = self.open(&server, options, &journal)?;

        for second in 0..script.seconds() {
            let end = journal.second(second + 1);
            let mut seen = look(&self.registry);
            while clock.now() < end {
                sleep(GLANCE.min(end.since(clock.now()))).await;
                seen = seen.then(look(&self.registry));
                table.changes(&journal)?;
                self.configuration.show(screen, script.start())?;
            }
            sleep(SETTLE).await;
            table.row(second, &journal, seen)?;
        }

        customers.join_all().await;
        server.stop().await?;
        Ok(Findings::new(&script, &journal))
    }

    /// Lets the customers in; each leaves at the end, whatever they are waiting for.
    fn open(&self, server: &Server, options: &Options, journal: &Arc<Journal>) -> io::Result<JoinSet<()>> {
        let clock = self.registry.clock();
        let prices = Prices::new(server.url(), options.client_timeout())?;
        let left = journal.end().since(clock.now());
        let mut customers = JoinSet::new();
        for number in 0..options.customers {
            let customer = Customer {
                number,
                shop: Arc::clone(&self.shop),
                prices: prices.clone(),
                clock: clock.clone(),
                journal: Arc::clone(journal),
            };
            customers.spawn(async move {
                // A visit never ends by itself: running out of time is how it should end.
                _ = timeout(left, customer.visit()).await;
            });
        }
        Ok(customers)
    }
}
