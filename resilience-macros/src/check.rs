//! What a policy cannot protect, wherever it stands.

use resilience_keys::Code;
use syn::{Error, Signature, Type};

use crate::{
    borrows,
    layers::Layers,
    report::Report,
    signature::{Call, Fallible, Waits},
};

/// A method or function with policies of its own.
pub(crate) fn protectable(sig: &Signature, call: &Call, layers: &Layers, report: &mut Report) {
    let name = &sig.ident;
    if let Some(token) = &sig.constness {
        report.tell(token, Code::Unprotectable, format_args!("`{name}` is `const`, where no policy can act"));
    }
    if matches!(call.output, Type::Never(_)) {
        let what = format!("`{name}` never comes back, so nothing can be told of how it ended");
        return report.tell(&call.output, Code::Unprotectable, what);
    }
    if layers.repeats() && borrows::mutably(sig, call) {
        let what = format!(
            "what `{name}` returns borrows mutably what another attempt and a fallback need: return it by value, or take \
             `&` instead of `&mut`"
        );
        report.tell(&call.output, Code::Unprotectable, what);
    }
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
