//! A policy's times as a drawing: a row per contender, on a scale of multiples of the reference.

use std::fmt::Write;

use crate::bench::{
    policies::Policy,
    results::{Spread, Standing},
};

/// The colours on a light and on a dark page.
pub(super) struct Theme {
    pub(super) name: &'static str,
    paper: &'static str,
    ink: &'static str,
    faint: &'static str,
    ours: &'static str,
    others: &'static str,
}

pub(super) const LIGHT: Theme =
    Theme { name: "light", paper: "#ffffff", ink: "#1f2328", faint: "#d1d9e0", ours: "#0969da", others: "#6e7781" };
pub(super) const DARK: Theme =
    Theme { name: "dark", paper: "#0d1117", ink: "#e6edf3", faint: "#30363d", ours: "#58a6ff", others: "#9198a1" };

// Pixels.
const WIDTH: f64 = 760.0;
/// Where the scale begins, right of the names, and where it ends, left of the numbers.
const LEFT: f64 = 210.0;
const RIGHT: f64 = 590.0;
const ROW: f64 = 24.0;
const TITLE: f64 = 40.0;
/// Under the rows: the ticks' numbers, and which way is which.
const FOOT: f64 = 48.0;

/// Contenders of one case and number of threads.
struct Group<'a> {
    head: String,
    rows: Vec<(&'a str, Spread)>,
}

/// A logarithmic scale.
struct Scale {
    low: f64,
    high: f64,
}

/// Nothing if nothing was compared with the reference.
pub(super) fn draw(policy: &Policy, standings: &[Standing], theme: &Theme) -> Option<String> {
    let groups = groups(policy, standings);
    let scale = Scale::of(groups.iter().flat_map(|group| &group.rows).map(|(_, times)| *times))?;
    let lines: usize = groups.iter().map(|group| group.rows.len() + 1).sum();
    let bottom = TITLE + ROW * lines as f64;
    let height = bottom + FOOT;
    let Theme { paper, ink, .. } = theme;
    let what = format!("{}: time, as multiples of {}'s", policy.title, policy.reference);

    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" \
         role=\"img\" font-family=\"system-ui, sans-serif\" font-size=\"13\">\n<title>{}</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"{paper}\"/>\n",
        escaped(&what)
    );
    text(&mut svg, (12.0, 24.0), "start\" font-weight=\"bold", ink, &what);
    let x = scale.x(1.0);
    text(&mut svg, (x - 8.0, bottom + 36.0), "end", ink, "← faster");
    text(&mut svg, (x + 8.0, bottom + 36.0), "start", ink, "slower →");
    for tick in scale.ticks() {
        let (x, one) = (scale.x(tick), (tick - 1.0).abs() < 1e-9);
        let stroke = if one { ink } else { theme.faint };
        line(&mut svg, (x, TITLE), (x, bottom), stroke, 1.0);
        text(&mut svg, (x, bottom + 18.0), "middle", ink, &format!("{tick} ×"));
    }
    let mut y = TITLE;
    for group in &groups {
        text(&mut svg, (12.0, y + 17.0), "start\" font-style=\"italic", ink, &group.head);
        for (name, times) in &group.rows {
            y += ROW;
            row(&mut svg, &scale, y, (name, *times), theme);
        }
        y += ROW;
    }
    svg += "</svg>\n";
    Some(svg)
}

/// From 1 × to a dot; around that the confidence interval.
fn row(svg: &mut String, scale: &Scale, y: f64, (name, times): (&str, Spread), theme: &Theme) {
    let color = if name.starts_with("resilience") { theme.ours } else { theme.others };
    let (x, middle) = (scale.x(times.median), y + ROW / 2.0);
    text(svg, (LEFT - 12.0, middle + 4.5), "end", color, name);
    line(svg, (scale.x(1.0), middle), (x, middle), color, 2.0);
    line(svg, (scale.x(times.low), middle), (scale.x(times.high), middle), color, 7.0);
    let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{middle:.1}\" r=\"4.5\" fill=\"{color}\"/>");
    let Spread { median, low, high } = times;
    text(svg, (WIDTH - 12.0, middle + 4.5), "end", color, &format!("{median:.2} × ({low:.2}–{high:.2})"));
}

fn groups<'a>(policy: &Policy, standings: &'a [Standing]) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    for it in standings.iter().filter(|it| it.policy == policy.name) {
        // Floors are no contenders, and have no ratio to one.
        let Some(times) = it.ratio(policy.reference) else { continue };
        let threads = if it.threads == 1 { "one thread".to_owned() } else { format!("{} threads on one", it.threads) };
        let head = format!("{}, {threads}", it.case.replace('`', ""));
        match groups.iter_mut().find(|group| group.head == head) {
            Some(group) => group.rows.push((&it.name, times)),
            None => groups.push(Group { head, rows: vec![(&it.name, times)] }),
        }
    }
    groups
}

impl Scale {
    /// Of whole steps, with 1 in it.
    fn of(times: impl Iterator<Item = Spread>) -> Option<Self> {
        let (low, high) = times.map(|it| (it.low, it.high)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
        let (low, high) = (low.min(1.0), high.max(1.0));
        let below = STEPS.iter().copied().filter(|step| *step <= low).fold(STEPS[0], f64::max);
        let above = STEPS.iter().copied().filter(|step| *step >= high).fold(STEPS[STEPS.len() - 1], f64::min);
        Some(Self { low: below.min(0.5), high: above.max(2.0) })
    }

    fn x(&self, value: f64) -> f64 {
        let part = (value.clamp(self.low, self.high) / self.low).ln() / (self.high / self.low).ln();
        LEFT + part * (RIGHT - LEFT)
    }

    /// Powers of ten if the others would be too many.
    fn ticks(&self) -> impl Iterator<Item = f64> {
        let wide = self.high / self.low > 200.0;
        let every = STEPS.into_iter().enumerate().filter(move |(at, _)| !wide || at % 3 == 0).map(|(_, step)| step);
        every.filter(|step| (self.low..=self.high).contains(step))
    }
}

const STEPS: [f64; 19] = [
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0,
];

fn line(svg: &mut String, from: (f64, f64), to: (f64, f64), color: &str, width: f64) {
    let ((x1, y1), (x2, y2)) = (from, to);
    let _ = writeln!(
        svg,
        "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{color}\" stroke-width=\"{width}\"/>"
    );
}

fn text(svg: &mut String, (x, y): (f64, f64), anchor: &str, color: &str, what: &str) {
    let what = escaped(what);
    let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{color}\">{what}</text>");
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::{DARK, LIGHT, Scale, draw};
    use crate::bench::{
        policies::POLICIES,
        record::{Spread, Standing},
    };

    fn standing(name: &str, median: f64) -> Standing {
        Standing::sample(name, Spread { median, low: median * 0.9, high: median * 1.1 })
    }

    #[test]
    fn contenders_are_rows_with_their_interval_and_ours_stand_out() {
        let standings = [standing("resilience", 0.5), standing("a < b & c", 3.0)];
        let svg = draw(&POLICIES[0], &standings, &LIGHT).unwrap();
        assert!(svg.contains(">0.50 × (0.45–0.55)</text>"), "{svg}");
        assert!(svg.contains(">a &lt; b &amp; c</text>") && !svg.contains("< b"), "{svg}");
        assert_eq!(svg.matches("<circle").count(), 2);
        assert_eq!(svg.matches(LIGHT.ours).count(), 5, "a name, two lines, a dot and the numbers: {svg}");
        let dark = draw(&POLICIES[0], &standings, &DARK).unwrap();
        assert!(dark.contains(DARK.ours) && !dark.contains(LIGHT.ours));
    }

    #[test]
    fn without_a_ratio_nothing_is_drawn() {
        assert!(draw(&POLICIES[0], &[], &LIGHT).is_none());
        assert!(draw(&POLICIES[1], &[standing("resilience", 0.5)], &LIGHT).is_none());
    }

    #[test]
    fn a_scale_has_one_in_it_and_few_ticks() {
        let scale = |low, high| Scale::of([Spread { median: low, low, high }].into_iter()).unwrap();
        assert_eq!(scale(3.0, 4.0).ticks().collect::<Vec<_>>(), [0.5, 1.0, 2.0, 5.0]);
        assert_eq!(scale(0.03, 30.0).ticks().collect::<Vec<_>>(), [0.1, 1.0, 10.0]);
        let wide = scale(0.03, 30.0);
        assert!(wide.x(0.03) < wide.x(1.0) && wide.x(1.0) < wide.x(30.0));
    }
}
