//! What a check found, and how it is told.

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    pub(crate) path: String,
    /// From 1; 1 also for what is missing from a file.
    pub(crate) line: usize,
    pub(crate) problem: String,
    pub(crate) fix: String,
}

impl Finding {
    pub(crate) fn new(path: &str, line: usize, problem: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, problem: problem.into(), fix: fix.into() }
    }
}

/// Prints what a rule found, in order, and says how much that was.
pub(crate) fn report(rule: &str, mut findings: Vec<Finding>) -> usize {
    findings.sort();
    for Finding { path, line, problem, fix } in &findings {
        println!("{path}:{line}: {rule}: {problem}\n    fix: {fix}");
    }
    findings.len()
}
