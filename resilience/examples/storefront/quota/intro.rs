//! What is about to be shown, in a few lines.

use std::io;

use humantime::format_duration;

use super::{options::Options, shopper::THINK};
use crate::screen::{Ink, Screen};

pub(crate) fn show(screen: &Screen, options: &Options) -> io::Result<()> {
    let (permits, period) = (options.permits, format_duration(options.period));
    let (clients, quota, most) = (options.clients, options.quota(), options.most_per_window());
    let (think, max_wait) = (format_duration(THINK), format_duration(options.max_wait));
    let enough = if quota < most { "more than the quota: expect refusals" } else { "within the quota" };

    let title = "storefront quota: a shop calls a price service, without and with a rate limiter";
    screen.line(screen.paint(Ink::Strong, title))?;
    screen.line(format_args!(
        "
  server    over HTTP: answers {quota} calls per window of {period}, and 429 to the rest
  client    {clients} shoppers; each asks again {think} after an answer
  limiter   in the client: {permits} permits per {period}; a call waits up to {max_wait} for
            its permit, or is rejected before it is sent; its shopper comes back
            when told

Why {permits} permits for a quota of {quota}? Unused permits are saved, up to {permits}.
So a window can see twice the permits: a full burst, then the steady rate.
That is up to {most} calls, {enough}.
The price: in the long run, only {permits} calls per window get through. The gain: none
is sent in vain, for a server that refuses too many calls may charge for them,
or bar the client."
    ))?;
    options.configuration.introduce(screen)
}
