//! Patterns for the names of blocks that a user looks for. `*` stands for any letters within the
//! namespace or within the rest of a name.

/// The longest pattern in bytes. Stored names have the same limit.
const MAX_PATTERN: usize = 256;

const NAMESPACE: &str = "minecraft";

/// A pattern such as `minecraft:spawner`, `*_bed` or `create:*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamePattern {
    namespace: String,
    path: String,
}

impl NamePattern {
    /// Parses a pattern. Without a namespace it means the blocks of the game.
    ///
    /// # Errors
    /// Fails if no block can have such a name.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (namespace, path) = text.split_once(':').unwrap_or((NAMESPACE, text));

        if namespace.is_empty() || path.is_empty() {
            return Err(
                "write the name of a block, such as minecraft:spawner, or a part of it, such as \
                 *_bed"
                    .into(),
            );
        }

        if text.contains(is_outside_names) {
            return Err(
                "write only the name of a block, without properties, such as minecraft:oak_log"
                    .into(),
            );
        }

        if text.len() > MAX_PATTERN {
            return Err(format!(
                "no block has a name of more than {MAX_PATTERN} letters"
            ));
        }

        Ok(Self {
            namespace: namespace.to_owned(),
            path: path.to_owned(),
        })
    }

    /// Returns the pattern as a user may write it, with its namespace.
    pub fn text(&self) -> String {
        format!("{}:{}", self.namespace, self.path)
    }

    /// Returns whether a name with its namespace matches.
    pub fn matches(&self, name: &str) -> bool {
        let (namespace, path) = name.split_once(':').unwrap_or((NAMESPACE, name));
        fits(&self.path, path) && fits(&self.namespace, namespace)
    }

    /// Returns whether blocks of a namespace may match.
    pub(crate) fn may_match_namespace(&self, namespace: &str) -> bool {
        fits(&self.namespace, namespace)
    }

    /// Returns the longest text that occurs in every stored name that matches. It is empty for `*`.
    pub(crate) fn literal(&self) -> &str {
        self.path
            .split('*')
            .max_by_key(|part| part.len())
            .unwrap_or_default()
    }
}

/// Returns whether a text fits a pattern in which `*` stands for any letters.
fn fits(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(mut text) = text.strip_prefix(start) else {
        return false;
    };

    let (middle, end) = rest.rsplit_once('*').unwrap_or(("", rest));

    // The first position at which each part occurs leaves the most letters for the parts after it.
    for part in middle.split('*').filter(|part| !part.is_empty()) {
        let Some((_, after)) = text.split_once(part) else {
            return false;
        };
        text = after;
    }

    text.ends_with(end)
}

/// Returns whether no block has this letter in its name.
fn is_outside_names(letter: char) -> bool {
    letter.is_whitespace() || letter.is_control() || "[]{}=,#\"'".contains(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_means_any_letters_of_a_part() {
        for (pattern, fitting, others) in [
            (
                "spawner",
                &["minecraft:spawner", "spawner"][..],
                &["minecraft:mob_spawner", "mod:spawner"][..],
            ),
            (
                "*_bed",
                &["minecraft:red_bed"],
                &["mod:red_bed", "minecraft:bed", "minecraft:red_bed_x"],
            ),
            (
                "*:*_bed",
                &["mod:red_bed", "minecraft:red_bed"],
                &["mod:bed"],
            ),
            ("create:*", &["create:shaft"], &["created:shaft"]),
            (
                "a*b*c",
                &["minecraft:abc", "minecraft:axbxbc"],
                &["minecraft:acb", "minecraft:ab"],
            ),
            ("x1*1x", &["minecraft:x11x"], &["minecraft:x1x"]),
            ("numeric:5:*", &["numeric:5:3"], &["numeric:6:3"]),
        ] {
            let pattern = NamePattern::parse(pattern).unwrap();
            assert!(
                fitting.iter().all(|name| pattern.matches(name)),
                "{pattern:?}"
            );
            assert!(
                !others.iter().any(|name| pattern.matches(name)),
                "{pattern:?}"
            );
        }
    }

    #[test]
    fn a_pattern_without_a_name_is_refused() {
        for wrong in [
            "",
            ":",
            "mod:",
            ":stone",
            "oak_log[axis=x]",
            "oak log",
            "a,b",
            &"x".repeat(300),
        ] {
            assert!(NamePattern::parse(wrong).is_err(), "{wrong}");
        }
    }
}
