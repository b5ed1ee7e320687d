//! What is about to be shown, in a few lines.

use std::io;

use humantime::format_duration as text;

use super::{
    customer::{AGAIN, THINK},
    options::Options,
    policies::{ATTEMPTS, PAUSE, PER_SECOND, SLOT_WAIT, SLOTS},
    upstream::SLOW,
};
use crate::screen::{Ink, Screen};

pub(crate) fn show(screen: &Screen, options: &Options) -> io::Result<()> {
    let (step, slow, customers) = (text(options.step()), text(SLOW), options.customers);
    let (think, again, client) = (text(THINK), text(AGAIN), text(options.client_timeout()));
    let (pause, open, timeout) = (text(PAUSE), text(options.wait_in_open()), text(options.timeout));
    let (room, patience) = (text(SLOT_WAIT), text(options.patience));
    let most = options.longest_call();
    let doubt = if most > options.patience { ": expect a broken promise" } else { "" };
    let most = text(most);

    let title = "storefront outage: a shop calls a price service that slows down, fails and hangs";
    screen.line(screen.paint(Ink::Strong, title))?;
    screen.line(format_args!(
        "
  service    over HTTP, in steps of {step}: healthy, slow (answers take {slow}),
             failing (503), hanging (never answers), then healthy again for two
  customers  {customers}; each asks again {think} after a price, {again} after an error
  1. plain   an HTTP client, which gives up after {client} (usual: 30s, or never)
  2. stack   the same client inside a pipeline, outermost first:
               fallback         yesterday's price in place of an error
               retry            {ATTEMPTS} attempts, {pause} apart; 20% more calls at most
               circuit breaker  opens for {open} if half of 20 calls failed
               rate limiter     {PER_SECOND} calls per second
               timeout          {timeout} for each attempt
               bulkhead         {SLOTS} calls at a time; others wait {room} at most
             That is {most} at most. The promise is {patience}{doubt}.

A row is a second. ok: answered by the service. stale: yesterday's price.
mid, max: median and longest wait, those included who still wait. cut: attempts
cut off by the timeout. busy: slots of the bulkhead in use at the same time.
full: attempts it turned away. sent: calls that reached the service."
    ))?;
    options.configuration.introduce(screen)
}
