//! Which known name was meant.

/// The known name that `name` was most likely meant to be: the first of those with the fewest
/// edits (insert, delete, replace, swap two neighbours), letter case aside. `None` when more than
/// a third of the letters would have to change.
///
/// ```
/// use resilience_keys::nearest;
///
/// assert_eq!(nearest("permit", ["period", "permits"]), Some("permits"));
/// assert_eq!(nearest("fsat", ["slow", "fast"]), Some("fast"));
/// assert_eq!(nearest("colour", ["period", "permits"]), None);
/// ```
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = letters(name);
    let limit = name.len() / 3;
    let near = known.into_iter().filter_map(|candidate| {
        let letters = letters(candidate);
        // Cheaper than the distance, and bounds its cost for an absurdly long name.
        let hopeless = letters.len().abs_diff(name.len()) > limit;
        let edits = if hopeless { usize::MAX } else { distance(&name, &letters) };
        (edits <= limit).then_some((edits, candidate))
    });
    near.min_by_key(|(edits, _)| *edits).map(|(_, candidate)| candidate)
}

fn letters(name: &str) -> Vec<char> {
    name.chars().flat_map(char::to_lowercase).collect()
}

/// Optimal string alignment: row by row over the prefixes of `a`, keeping two rows back for swaps.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut two_back = vec![0; b.len() + 1];
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(above[j] + 1).min(row[j - 1] + 1);
            let swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if swapped {
                row[j] = row[j].min(two_back[j - 2] + 1);
            }
        }
        two_back = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::{distance, letters};

    #[test]
    fn a_swap_of_neighbours_is_one_edit() {
        for (a, b, edits) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("permit", "permits", 1),
            ("permits", "permit", 1),
            ("fsat", "fast", 1),
            ("ba", "ab", 1),
            ("wiat_in_opne", "wait_in_open", 2),
            ("kitten", "sitting", 3),
            ("ca", "abc", 3),
        ] {
            assert_eq!(distance(&letters(a), &letters(b)), edits, "{a} {b}");
        }
    }
}
