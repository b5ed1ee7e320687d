//! Lines over two axes, as SVG that is readable on light and on dark.

use std::fmt::Write;

use crate::{Language, Words};

const WIDTH: f64 = 560.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 62.0;
const HEIGHT: f64 = 250.0;
const BOTTOM: f64 = 50.0;

/// Told apart by most eyes, and on white as on black.
const COLOURS: [&str; 5] = ["#2f7ed8", "#e0702a", "#1f9e77", "#b565c9", "#8a8a8a"];

/// In the manual, the ink is the theme's; alone, that of the reader's system.
const STYLE: &str = "<style>\
.plot{--ink:#333}\
@media (prefers-color-scheme:dark){.plot{--ink:#ddd}}\
.plot text{fill:var(--fg,var(--ink));font:13px sans-serif}\
.plot .grid{stroke:var(--fg,var(--ink));stroke-opacity:.18}\
.plot .line{fill:none;stroke-width:2.2;stroke-linejoin:round}\
</style>";

pub(crate) struct Chart {
    pub(crate) title: Words,
    pub(crate) across: Axis,
    pub(crate) up: Axis,
    pub(crate) lines: Vec<Line>,
}

/// From 0 on.
pub(crate) struct Axis {
    pub(crate) label: Words,
    pub(crate) ticks: &'static [f64],
}

pub(crate) struct Line {
    pub(crate) label: Words,
    pub(crate) points: Vec<(f64, f64)>,
}

impl Axis {
    /// Where `value` is, from 0 to 1.
    fn share(&self, value: f64) -> f64 {
        value / self.ticks.last().copied().unwrap_or(1.0)
    }
}

impl Chart {
    fn x(&self, value: f64) -> f64 {
        LEFT + (WIDTH - LEFT - RIGHT) * self.across.share(value)
    }

    fn y(&self, value: f64) -> f64 {
        TOP + HEIGHT * (1.0 - self.up.share(value).clamp(0.0, 1.0))
    }

    pub(crate) fn svg(&self, language: Language) -> String {
        let title = language.of(self.title);
        let total = TOP + HEIGHT + BOTTOM;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\"0 0 {WIDTH} {total}\" role=\"img\" \
             aria-label=\"{title}\">\n{STYLE}\n<text x=\"{LEFT}\" y=\"18\" style=\"font-weight:600\">{title}</text>\n"
        );
        self.axes(&mut svg, language);
        let mut at = LEFT;
        for (line, colour) in self.lines.iter().zip(COLOURS) {
            let label = language.of(line.label);
            let points: Vec<_> =
                line.points.iter().map(|(x, y)| format!("{:.1},{:.1}", self.x(*x), self.y(*y))).collect();
            let _ = writeln!(svg, "<polyline class=\"line\" stroke=\"{colour}\" points=\"{}\"/>", points.join(" "));
            let _ = writeln!(
                svg,
                "<rect x=\"{at}\" y=\"34\" width=\"14\" height=\"4\" rx=\"2\" fill=\"{colour}\"/>\
                 <text x=\"{}\" y=\"41\">{label}</text>",
                at + 19.0
            );
            at += 34.0 + 7.0 * label.chars().count() as f64;
        }
        svg + "</svg>\n"
    }

    fn axes(&self, svg: &mut String, language: Language) {
        let (right, floor) = (WIDTH - RIGHT, TOP + HEIGHT);
        for tick in self.up.ticks {
            let y = self.y(*tick);
            let _ = writeln!(
                svg,
                "<line class=\"grid\" x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\"/>\
                 <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{tick}</text>",
                LEFT - 7.0,
                y + 4.5
            );
        }
        for tick in self.across.ticks {
            let x = self.x(*tick);
            let _ = writeln!(
                svg,
                "<line class=\"grid\" x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{floor}\"/>\
                 <text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{tick}</text>",
                floor + 18.0
            );
        }
        let (across, up) = (language.of(self.across.label), language.of(self.up.label));
        let middle = TOP + HEIGHT / 2.0;
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{across}</text>\
             <text x=\"14\" y=\"{middle}\" text-anchor=\"middle\" transform=\"rotate(-90 14 {middle})\">{up}</text>",
            f64::midpoint(LEFT, right),
            floor + 40.0
        );
    }
}
