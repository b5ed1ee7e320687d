//! An HTTP server on a free port of this machine.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr, SocketAddrV4},
};

use axum::Router;
use tokio::{net::TcpListener, sync::oneshot, task::JoinHandle};

/// A free port.
const ANY: SocketAddr = SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0));

pub(crate) struct Server {
    url: String,
    stop: oneshot::Sender<()>,
    served: JoinHandle<io::Result<()>>,
}

impl Server {
    pub(crate) async fn start(router: Router) -> io::Result<Self> {
        Self::start_at(ANY, router).await
    }

    pub(crate) async fn start_at(address: SocketAddr, router: Router) -> io::Result<Self> {
        let taken =
            |error: io::Error| io::Error::new(error.kind(), format!("{address}: {error}; port 0 takes a free one"));
        let listener = TcpListener::bind(address).await.map_err(taken)?;
        let url = format!("http://{}", listener.local_addr()?);
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

    /// Answers those who still wait for it, then stops.
    pub(crate) async fn stop(self) -> io::Result<()> {
        drop(self.stop);
        self.served.await?
    }
}
