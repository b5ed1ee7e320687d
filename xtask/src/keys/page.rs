//! `docs/{en,es}/configuration.md`, rendered from the table and the rows.

use std::{fmt::Write, time::Duration};

use resilience_keys::Default::{Derived, Unset, Value};
use resilience_keys::{Key, SECTIONS, Section, ValueKind};

use super::row::{Row, Rows};
use crate::pages::{Language, Page};

pub(super) fn render(rows: &Rows) -> Vec<Page> {
    let page = |language: Language| {
        let head = language.pick(include_str!("head.en.md"), include_str!("head.es.md"));
        let sections = SECTIONS.iter().map(|it| section(it, rows, language));
        Page { path: language.path("configuration"), text: head.to_owned() + &sections.collect::<String>() }
    };
    Language::ALL.map(page).into()
}

fn section(section: &Section, rows: &Rows, language: Language) -> String {
    let mut text = format!("\n## {}\n\n", section.title);
    let head = language.pick(
        "| `{}` | type | default | allowed | on reload |",
        "| `{}` | tipo | por defecto | permitido | al recargar |",
    );
    let _ = writeln!(text, "{}\n| --- | --- | --- | --- | --- |", head.replace("{}", section.name));
    for key in section.keys {
        if let Some(row) = rows.row(section, key) {
            let reload = rows.reload.get(&row.reload).map_or("", |it| it.said(language));
            let (kind, default, allowed) =
                (kind(key, row, language), default(key, row, language), allowed(key, language));
            let _ = writeln!(text, "| `{}` | {kind} | {default} | {allowed} | {reload} |", key.name);
        }
    }
    text.push('\n');
    for key in section.keys {
        let _ = writeln!(text, "- `{}`: {}", key.name, language.pick(key.doc, rows.doc(section, key)));
    }
    let label = language.pick("On reload", "Al recargar");
    let kept = rows.section(section).map_or("", |it| it.reload.said(language));
    let spelling = language.pick(
        "In the environment, with the defaults; for one instance, `INSTANCES__<ID>` stands for `DEFAULTS`:",
        "En el entorno, con los valores por defecto; para una instancia, `INSTANCES__<ID>` va en lugar de `DEFAULTS`:",
    );
    let _ = write!(text, "\n*{label}.* {kept}\n\n{spelling}\n\n```sh\n");
    for key in section.keys {
        let value = if let Value(value) = key.default { value } else { "" };
        let _ = writeln!(text, "{}={value}", variable(section, key));
    }
    text + "```\n"
}

/// The variable that sets the key for every instance.
fn variable(section: &Section, key: &Key) -> String {
    format!("RESILIENCE__DEFAULTS__{}__{}", section.name, key.name).to_uppercase()
}

fn kind(key: &Key, row: &Row, language: Language) -> String {
    let name = match key.value {
        ValueKind::Count { .. } => {
            return format!("{} ({})", language.pick("integer", "entero"), row.unit.said(language));
        }
        ValueKind::Duration { .. } => language.pick("duration", "duración"),
        ValueKind::Percent => language.pick("number (%)", "número (%)"),
        ValueKind::Factor { .. } => language.pick("number (factor)", "número (factor)"),
        ValueKind::Bool => language.pick("boolean", "booleano"),
        ValueKind::Word(_) => language.pick("word", "palabra"),
        ValueKind::Kinds => language.pick("list of kinds", "lista de tipos de falla"),
    };
    name.to_owned()
}

fn default(key: &Key, row: &Row, language: Language) -> String {
    match key.default {
        Value(value) => format!("`{value}`"),
        Derived(text) => language.pick(text, &row.default).to_owned(),
        Unset => language.pick("none", "ninguno").to_owned(),
    }
}

fn allowed(key: &Key, language: Language) -> String {
    let words = |words: &[&str]| words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    let english = key.allowed().to_string();
    match (key.value, language) {
        (ValueKind::Word(all), _) => words(all),
        (ValueKind::Bool, _) => words(&["true", "false"]),
        (_, Language::En) => english,
        (ValueKind::Count { .. }, Language::Es) => english.replace(" to ", " a "),
        (ValueKind::Duration { zero: true, max: Duration::MAX }, Language::Es) => "cualquier duración".to_owned(),
        (ValueKind::Duration { .. } | ValueKind::Percent, Language::Es) => {
            english.replace("more than", "mayor que").replace("at most", "como máximo").replace("years", "años")
        }
        (ValueKind::Factor { .. }, Language::Es) => english.replace(" or more", " o más"),
        (ValueKind::Kinds, Language::Es) => "una lista de tipos de falla".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use resilience_keys::SECTIONS;

    use super::render;
    use crate::keys::row::Rows;
    use crate::pages::Page;

    fn pages() -> Vec<Page> {
        render(&Rows::read().expect("well-formed"))
    }

    #[test]
    fn every_key_has_a_line_in_the_table_a_text_and_a_variable() {
        for Page { path, text } in pages() {
            for section in SECTIONS {
                let part = text.split(&format!("\n## {}\n", section.title)).nth(1).expect("a section");
                let part = part.split("\n## ").next().unwrap_or_default();
                for key in section.keys {
                    assert!(part.contains(&format!("\n| `{}` | ", key.name)), "{path} {}", key.name);
                    assert!(part.contains(&format!("\n- `{}`: ", key.name)), "{path} {}", key.name);
                    let variable = format!("\nRESILIENCE__DEFAULTS__{}__{}=", section.name, key.name).to_uppercase();
                    assert!(part.contains(&variable), "{path} {variable}");
                }
            }
        }
    }

    #[test]
    fn a_line_says_type_unit_default_range_and_reload() {
        let [en, es] = &pages()[..] else { panic!("two languages") };
        for (page, line) in [
            (en, "| `period` | duration | `1s` | more than 0, at most 100 years | at once, what was used stays used |"),
            (
                es,
                "| `period` | duración | `1s` | mayor que 0, como máximo 100 años | enseguida, lo usado sigue usado |",
            ),
            (en, "| `max_concurrent` | integer (calls) | `25` | 1 to 2_147_483_647 | at once |"),
            (es, "| `max_concurrent` | entero (llamadas) | `25` | 1 a 2_147_483_647 | enseguida |"),
            (
                es,
                "| `jitter` | palabra | `full` | `none`, `full`, `equal`, `decorrelated` | desde la próxima llamada |",
            ),
            (es, "| `max_wait` | duración | `0` | cualquier duración | desde la próxima llamada |"),
        ] {
            assert!(page.text.contains(line), "{line}");
        }
    }

    #[test]
    fn the_example_file_has_keys_that_exist_and_the_same_in_both_languages() {
        let example = |page: &Page| {
            let mut fenced = page.text.split("```toml\n").filter_map(|rest| rest.split("```").next());
            fenced.find(|text| text.starts_with("[defaults")).expect("an example").parse::<toml::Table>().expect("TOML")
        };
        let [en, es] = &pages()[..] else { panic!("two languages") };
        assert_eq!(example(en), example(es));
        let table = |value: &toml::Value| value.as_table().expect("a table").clone();
        let example = example(en);
        let named = ["configs", "instances"].iter().flat_map(|it| table(&example[*it]).into_iter().map(|(_, it)| it));
        for (name, keys) in named.chain([example["defaults"].clone()]).flat_map(|it| table(&it)) {
            let section = SECTIONS.iter().find(|section| section.name == name).expect("a section");
            for key in table(&keys).keys().filter(|key| !["base", "config"].contains(&key.as_str())) {
                assert!(section.key(key).is_some(), "{name}.{key}");
            }
        }
    }
}
