use resilience_core::Registry;

use crate::{Dashboard, hub::Hub, token::Token};

/// Makes a [`Dashboard`].
#[derive(Clone, Debug)]
#[must_use]
pub struct Builder {
    registry: Registry,
    token: Option<Token>,
    actions: bool,
    max_clients: usize,
}

impl Builder {
    pub(crate) fn new(registry: &Registry) -> Self {
        Self { registry: registry.clone(), token: None, actions: false, max_clients: 16 }
    }

    /// Serves only those who know it; everybody else gets a 401 and a form to sign in. Browsers keep it in a cookie for
    /// this path, which scripts cannot read; other programs send `Authorization: Bearer <token>`.
    ///
    /// It is compared in constant time; only its length can be found out. Make it at least 32 random letters long, and
    /// serve the page over TLS.
    ///
    /// # Panics
    ///
    /// If it is empty, as that of a variable is that nobody has set.
    pub fn token(mut self, token: impl AsRef<str>) -> Self {
        self.token = Some(Token::new(token.as_ref()));
        self
    }

    /// Whether the page can also force a breaker open, reset or disable it, reload the configuration, and try a value out.
    /// Each of these is an event ([`Acted`](crate::Acted)). Off by default: they are 404 then.
    pub fn actions(mut self, actions: bool) -> Self {
        self.actions = actions;
        self
    }

    /// How many pages may be open at the same time; 16 by default. Whoever comes then gets the place of
    /// the oldest if that is open for a minute, and otherwise a 503.
    pub fn max_clients(mut self, max_clients: usize) -> Self {
        self.max_clients = max_clients;
        self
    }

    /// The dashboard. It does nothing until somebody opens the page, but keep the last reloads and actions, which cost
    /// calls nothing.
    pub fn build(self) -> Dashboard {
        Dashboard::from_parts(Hub::new(self.registry, self.max_clients), self.token, self.actions)
    }
}
