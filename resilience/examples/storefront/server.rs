//! The price service: an HTTP server that answers 429 to what is beyond its quota.

use std::{io, sync::Arc};

use axum::{Router, extract::State, http::StatusCode, routing::get};
use resilience::Clock;
use tokio::{net::TcpListener, sync::oneshot, task::JoinHandle};

use crate::{quota::Quota, tally::Tally};

pub(crate) struct Server {
    url: String,
    stop: oneshot::Sender<()>,
    served: JoinHandle<io::Result<()>>,
}

/// What a request finds.
pub(crate) struct Service {
    pub(crate) quota: Quota,
    pub(crate) clock: Clock,
    pub(crate) tally: Arc<Tally>,
}

impl Server {
    /// Listens on a free port of this machine.
    pub(crate) async fn start(service: Arc<Service>) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}/price", listener.local_addr()?);
        let router = Router::new().route("/price", get(price)).with_state(service);
        let (stop, stopped) = oneshot::channel();
        let serve = axum::serve(listener, router).with_graceful_shutdown(async {
            // An error means that the server was dropped, which is a reason to stop too.
            _ = stopped.await;
        });
        Ok(Self { url, stop, served: tokio::spawn(serve.into_future()) })
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Answers what has arrived, then stops.
    pub(crate) async fn stop(self) -> io::Result<()> {
        drop(self.stop);
        self.served.await?
    }
}

async fn price(State(service): State<Arc<Service>>) -> Result<&'static str, StatusCode> {
    let now = service.clock.now();
    if service.quota.admit(now) {
        service.tally.count(now, |calls| calls.answered += 1);
        Ok("9.99")
    } else {
        service.tally.count(now, |calls| calls.refused += 1);
        Err(StatusCode::TOO_MANY_REQUESTS)
    }
}
