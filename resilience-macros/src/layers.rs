//! The policies of a method.

use std::rc::Rc;

use resilience_keys::Code;
use syn::Attribute;

use crate::{
    attribute::{self, Attr},
    fallback::Fallback,
    report::Report,
};

/// From the outside in.
const ORDER: [&str; 5] = ["retry", "circuit_breaker", "rate_limiter", "timeout", "bulkhead"];

/// What stands around a method, from the outside in.
#[derive(Clone, Default)]
pub(crate) struct Layers {
    pub(crate) policies: Vec<Rc<Attr>>,
    pub(crate) fallback: Option<Rc<Fallback>>,
    /// Nothing of it is the method's own: whether it applies, its type tells.
    pub(crate) only_inherited: bool,
}

impl Layers {
    /// Takes the policies out of the attributes of an item.
    pub(crate) fn take(attrs: &mut Vec<Attribute>, report: &mut Report) -> Self {
        let mut this = Self::default();
        attrs.retain(|attr| {
            if attr.path().is_ident("fallback") {
                let fallback = Fallback::read(attr, report);
                if this.fallback.is_some() {
                    report.tell(attr, Code::BadAttribute, "`fallback` is written twice");
                }
                this.fallback = fallback.map(Rc::new);
                return false;
            }
            let Some(section) = attribute::section(attr) else {
                return !attribute::misspelt(attr, report) && !attribute::unseen(attr, report);
            };
            if this.has(section.name) {
                report.tell(attr, Code::BadAttribute, format_args!("`{}` is written twice", section.name));
            } else {
                this.policies.push(Rc::new(Attr::read(section, attr, report)));
            }
            false
        });
        this.sort();
        this
    }

    /// With those of the trait that it has not got itself.
    pub(crate) fn inherit(mut self, outer: &Self) -> Self {
        self.only_inherited = self.is_empty();
        let missing: Vec<_> = outer.policies.iter().filter(|it| !self.has(it.section.name)).cloned().collect();
        self.policies.extend(missing);
        self.sort();
        self
    }

    /// Those of a whole trait or type.
    pub(crate) fn without_fallback(&self, report: &mut Report) {
        if let Some(fallback) = &self.fallback {
            report.tell(&fallback.method, Code::Unprotectable, "a fallback belongs to a method");
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.policies.is_empty() && self.fallback.is_none()
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.policies.iter().any(|it| it.section.name == name)
    }

    /// A second attempt may follow.
    pub(crate) fn retries(&self) -> bool {
        self.has("retry")
    }

    /// Something follows the first call: another attempt, or the fallback.
    pub(crate) fn repeats(&self) -> bool {
        self.retries() || self.fallback.is_some()
    }

    fn sort(&mut self) {
        self.policies.sort_by_key(|it| ORDER.iter().position(|name| *name == it.section.name));
    }
}
