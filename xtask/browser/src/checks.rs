//! What must be true of the page.

mod act;
mod ask;
mod cost;
mod hostile;
mod keyboard;
mod life;
mod looks;
mod restart;
mod states;
mod tabs;
mod tile;
mod token;

use std::pin::Pin;

use anyhow::Result;

use crate::driver::Browser;

type Check = fn(&Browser) -> Pin<Box<dyn Future<Output = Result<()>> + '_>>;

pub(crate) const ALL: &[(&str, Check)] = &[
    ("one instance shows what the registry says", |it| Box::pin(states::one(it))),
    ("50 instances show what the registry says", |it| Box::pin(states::fifty(it))),
    ("1 000 instances show what the registry says", |it| Box::pin(states::thousand(it))),
    ("a breaker opens, probes and closes", |it| Box::pin(life::whole(it))),
    ("a tile and its dialog show all there is", |it| Box::pin(tile::whole(it))),
    ("everything can be reached with the keyboard", |it| Box::pin(keyboard::path(it))),
    ("everything has a name and a role", |it| Box::pin(ask::names(it))),
    ("it looks right, light and dark, on a desk and a phone", |it| Box::pin(looks::all(it))),
    ("ids made of HTML are text", |it| Box::pin(hostile::ids(it))),
    ("actions act, if meant", |it| Box::pin(act::act(it))),
    ("a second tab shows the same", |it| Box::pin(tabs::two(it))),
    ("a restart of the server is survived", |it| Box::pin(restart::restart(it))),
    ("the token opens the page", |it| Box::pin(token::sign_in(it))),
    ("1 000 instances cost next to nothing", |it| Box::pin(cost::cost(it))),
];
