//! A shop that is open until somebody ends it, with the dashboard and with buttons that break and mend what it depends on.

mod desk;
mod goods;
mod options;
mod stack;
mod visitor;

use std::{future::pending, io, sync::Arc};

use resilience::{dashboard::Dashboard, prelude::*};

pub(crate) use options::Options;

use crate::{
    Trouble,
    prices::Prices,
    screen::{Ink, Screen},
    server::Server,
    shop::{goods::Goods, stack::Stack, visitor::visit},
};

pub(crate) async fn play(screen: &Screen, options: &Options) -> Result<bool, Trouble> {
    let registry = Registry::new();
    let _configuration = options.configuration.read(&registry)?;
    let stacks: Vec<_> = goods::NAMES.iter().map(|name| Stack::new(&registry, name)).collect::<Result<_, _>>()?;
    let goods = Arc::new(Goods::default());
    let upstream = Server::start(goods::router(&goods)).await?;
    for stack in stacks {
        let stack = Arc::new(stack);
        for number in 0..options.visitors {
            let client = Prices::new(upstream.url(), stack::PATIENCE)?;
            tokio::spawn(visit(number, Arc::clone(&stack), client));
        }
    }
    let dashboard = Dashboard::builder(&registry).actions(true).build();
    let shop = Server::start_at(options.address, desk::router(&goods, &dashboard)).await?;
    let _numbers = options.numbers.serve(screen, &registry).await?;
    introduce(screen, shop.url())?;
    pending().await
}

fn introduce(screen: &Screen, url: &str) -> io::Result<()> {
    screen.line(screen.paint(Ink::Strong, format_args!("break and mend:  {url}/")))?;
    screen.line(screen.paint(Ink::Strong, format_args!("the dashboard:   {url}/resilience/")))?;
    screen.line("Ctrl-C closes the shop.")
}
