//! What a policy cannot protect, wherever it stands.

use resilience_keys::Code;
use syn::{Error, Signature};

use crate::{
    layers::Layers,
    report::Report,
    signature::{Call, Fallible, Waits},
};

/// A method or function with policies of its own.
pub(crate) fn protectable(sig: &Signature, call: &Call, layers: &Layers, report: &mut Report) {
    let name = &sig.ident;
    if call.fallible() == Fallible::No && layers.fallback.is_none() {
        let what = format!(
            "`{name}` cannot fail, so there is no place for a rejection; return a `Result`, or add \
             `#[fallback(method = \"..\")]`"
        );
        match &sig.output {
            syn::ReturnType::Default => report.tell(name, Code::Unprotectable, what),
            syn::ReturnType::Type(..) => report.tell(&call.output, Code::Unprotectable, what),
        }
    }
    if call.waits == Waits::Sync {
        for timeout in layers.policies.iter().filter(|it| it.section.name == "timeout" && !it.late) {
            let what = format!(
                "`{name}` blocks its thread, which nobody can stop: `on_blocking = \"late\"` lets it end and tells that it \
                 came too late ({})",
                Code::BlockingTimeout
            );
            report.add(Error::new(timeout.span, what));
        }
    }
}
