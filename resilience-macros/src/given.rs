//! Values as an attribute writes them.

use proc_macro2::Span;
use resilience_keys::{KINDS, Key, Problem, Value, ValueKind};
use syn::{Expr, ExprLit, ExprUnary, Lit, UnOp, spanned::Spanned};

use crate::id::spaced;

/// What a key has got: a value that was checked, or a list of kinds of which some are constants of the service.
pub(crate) enum Given {
    Value(Value),
    Kinds(Vec<Kind>, Box<Expr>),
}

/// An element of a list of kinds.
pub(crate) enum Kind {
    /// One of those that are built in.
    Known(&'static str, Span),
    /// A constant of type `Kind`.
    Constant(Box<Expr>),
}

impl Given {
    /// Checks `expr` as a value of `key`, by the rules that hold everywhere.
    pub(crate) fn check(key: &Key, expr: &Expr) -> Result<Self, Problem> {
        let expr = bare(expr);
        let wrong = || key.wrong_type(spaced(expr));
        let value = match (key.value, expr) {
            (ValueKind::Kinds, Expr::Array(array)) => {
                let kinds = array.elems.iter().map(|elem| kind(key, elem)).collect::<Result<_, _>>()?;
                return Ok(Self::Kinds(kinds, Box::new(expr.clone())));
            }
            (ValueKind::Duration { .. }, expr) => {
                let text = text(expr).ok_or_else(wrong)?;
                if text.is_empty() {
                    return Err(wrong());
                }
                key.parse(&text)?
            }
            (ValueKind::Word(_), expr) => Value::Word(key.check_word(&text(expr).ok_or_else(wrong)?)?),
            (ValueKind::Bool, Expr::Lit(ExprLit { lit: Lit::Bool(lit), .. })) => Value::Bool(lit.value),
            (ValueKind::Count { .. }, expr) => Value::Count(key.check_count(integer(expr).ok_or_else(wrong)?)?),
            (ValueKind::Percent | ValueKind::Factor { .. }, expr) => {
                Value::Number(key.check_number(number(expr).ok_or_else(wrong)?)?)
            }
            _ => return Err(wrong()),
        };
        Ok(Self::Value(value))
    }
}

fn kind(key: &Key, expr: &Expr) -> Result<Kind, Problem> {
    let Some(name) = text(expr) else { return Ok(Kind::Constant(Box::new(expr.clone()))) };
    key.check_kinds([name.as_str()])?;
    KINDS.into_iter().find(|known| *known == name).map(|name| Kind::Known(name, expr.span())).ok_or_else(|| {
        let mut problem = key.unknown_kind(&name, &KINDS);
        problem.allowed = format!("{}, or a constant of type `Kind`", problem.allowed).into();
        problem
    })
}

/// A value without what a macro by example writes unseen around what it was given.
pub(crate) fn bare(expr: &Expr) -> &Expr {
    match expr {
        Expr::Group(it) => bare(&it.expr),
        _ => expr,
    }
}

pub(crate) fn text(expr: &Expr) -> Option<String> {
    match bare(expr) {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
        _ => None,
    }
}

fn integer(expr: &Expr) -> Option<i128> {
    match bare(expr) {
        Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) => int.base10_parse().ok(),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => integer(expr).map(|int| -int),
        _ => None,
    }
}

fn number(expr: &Expr) -> Option<f64> {
    match bare(expr) {
        Expr::Lit(ExprLit { lit: Lit::Float(float), .. }) => float.base10_parse().ok(),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => number(expr).map(|number| -number),
        _ => integer(expr).map(|int| int as f64),
    }
}
