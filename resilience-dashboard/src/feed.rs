//! The stream of one page.

use std::{
    convert::Infallible,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use axum::{
    body::{Body, Bytes, HttpBody},
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use http_body::Frame;
use tokio::sync::mpsc;

use crate::{board::Offers, dashboard::Inner, hub::Refused};

/// The frames as they come. Dropping it gives its place to somebody else.
struct Feed(mpsc::Receiver<Bytes>);

impl HttpBody for Feed {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(cx).map(|bytes| Some(Ok(Frame::data(bytes?))))
    }
}

pub(crate) async fn open(State(inner): State<Arc<Inner>>) -> Response {
    let offers = Offers { actions: inner.actions, locked: inner.token.is_some() };
    match inner.hub.join(offers) {
        Ok(frames) => ([(header::CONTENT_TYPE, "text/event-stream")], Body::new(Feed(frames))).into_response(),
        Err(Refused::Full) => {
            let later = [(header::RETRY_AFTER, "5")];
            (StatusCode::SERVICE_UNAVAILABLE, later, "as many pages are open as may be").into_response()
        }
        Err(Refused::Broken) => {
            (StatusCode::INTERNAL_SERVER_ERROR, "a policy panicked when it was asked what it shows").into_response()
        }
    }
}
