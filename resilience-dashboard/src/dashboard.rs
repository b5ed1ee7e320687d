use std::{fmt, sync::Arc};

use axum::Router;
use resilience_core::Registry;

use crate::{Builder, hub::Hub, routes, token::Token};

/// The page of a registry, and those who look at it. Clones are one dashboard.
///
/// ```
/// use axum::Router;
/// use resilience_core::Registry;
/// use resilience_dashboard::Dashboard;
///
/// let registry = Registry::new();
/// let dashboard = Dashboard::builder(&registry).token("a long and secret word").build();
/// let app: Router = Router::new().nest_service("/resilience", dashboard.router());
/// ```
#[derive(Clone)]
pub struct Dashboard(Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) hub: Arc<Hub>,
    pub(crate) token: Option<Token>,
    pub(crate) actions: bool,
}

impl Dashboard {
    /// For whoever can reach it, to look and nothing else.
    pub fn new(registry: &Registry) -> Self {
        Self::builder(registry).build()
    }

    /// With a token, or with actions.
    pub fn builder(registry: &Registry) -> Builder {
        Builder::new(registry)
    }

    pub(crate) fn from_parts(hub: Hub, token: Option<Token>, actions: bool) -> Self {
        Self(Arc::new(Inner { hub: Arc::new(hub), token, actions }))
    }

    /// What to mount: with `nest_service` under a path of its own, or as the whole of a server.
    ///
    /// Handle requests inside a tokio runtime: the sampler runs there.
    pub fn router(&self) -> Router {
        routes::router(&self.0)
    }

    /// How many pages are open.
    pub fn clients(&self) -> usize {
        self.0.hub.clients()
    }

    /// Ends every open page's stream, and takes no more. A server that shuts down gracefully waits for all responses,
    /// and these end in no other way: call it first.
    pub fn close(&self) {
        self.0.hub.close();
    }
}

impl fmt::Debug for Dashboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dashboard")
            .field("clients", &self.clients())
            .field("token", &self.0.token.is_some())
            .field("actions", &self.0.actions)
            .finish()
    }
}
