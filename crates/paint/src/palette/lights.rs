//! Looks up the light that blocks emit, by name and state. Chunks that store no light need it, and
//! so do shining blocks whose stored light is too dark.

use crate::palette::table::{content_lines, is_like, parse_state, property, split_state};

/// The highest light level.
const BRIGHTEST: u8 = 15;

/// The light of a block, or of one of its states.
#[derive(Debug, Clone)]
struct LightRule {
    /// A name without `minecraft:`; a leading `*` matches any beginning.
    pattern: Box<str>,
    when: Vec<(String, String)>,
    level: u8,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Lights(Vec<LightRule>);

impl Lights {
    /// Parses lines of a name, or `name[property=value,...]`, a tab, and a level from 0 to 15.
    /// Malformed lines are ignored.
    pub(super) fn new(text: &str) -> Self {
        Self(content_lines(text).filter_map(rule).collect())
    }

    /// Returns the light of a block (name with namespace) in a state such as `candles=3,lit=true`.
    /// If several rules match, the rule with the most properties counts. Blocks of mods emit no
    /// light.
    pub(super) fn light(&self, name: &str, state: &str) -> u8 {
        let Some(name) = name.strip_prefix("minecraft:") else {
            return 0;
        };

        let fitting = self.0.iter().filter(|rule| {
            is_like(name, &rule.pattern)
                && rule
                    .when
                    .iter()
                    .all(|(key, value)| property(state, key) == Some(value))
        });

        fitting
            .max_by_key(|rule| rule.when.len())
            .map_or(0, |rule| rule.level)
    }

    /// Returns the properties that affect light, each after the name pattern that it applies to.
    pub(super) fn properties(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().flat_map(|rule| {
            rule.when
                .iter()
                .map(|(key, _)| (&*rule.pattern, key.as_str()))
        })
    }
}

fn rule(line: &str) -> Option<LightRule> {
    let (key, level) = line.split_once('\t')?;
    let (pattern, state) = split_state(key).ok()?;
    let when = state.map_or(Ok(Vec::new()), parse_state).ok()?;
    let level = level.parse().ok().filter(|level| *level <= BRIGHTEST)?;
    Some(LightRule {
        pattern: pattern.into(),
        when,
        level,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::palette::lookup::Palette;
    use crate::palette::sources::LIGHTS;
    use pixelmap_world::names::Describe as _;

    #[test]
    fn a_block_gives_the_light_of_its_state() {
        let lights = Lights::new(LIGHTS);
        let of = |name, state| lights.light(name, state);

        assert_eq!(
            [
                of("minecraft:torch", ""),
                of("minecraft:glowstone", ""),
                of("minecraft:stone", "")
            ],
            [14, 15, 0]
        );

        assert_eq!(
            [
                of("minecraft:furnace", ""),
                of("minecraft:furnace", "lit=true")
            ],
            [0, 13]
        );

        assert_eq!(
            [
                of("minecraft:campfire", ""),
                of("minecraft:campfire", "lit=false")
            ],
            [15, 0]
        );

        assert_eq!(
            of(
                "minecraft:red_candle",
                "candles=3,lit=true,waterlogged=false"
            ),
            9
        );

        assert_eq!(
            [
                of("minecraft:red_candle", "candles=3"),
                of("minecraft:light", "level=4")
            ],
            [0, 4]
        );

        assert_eq!(
            [
                of("mod:torch", ""),
                of("minecraft:ochre_froglight", "axis=x")
            ],
            [0, 15]
        );
    }

    #[test]
    fn light_properties_reach_only_the_traits() {
        let palette = Palette::builtin();
        assert_eq!(palette.drawn_properties("minecraft:blast_furnace"), ["lit"]);
        let [dark, lit] =
            ["lit=false", "lit=true"].map(|state| palette.traits("minecraft:smoker", state));
        assert_eq!(
            (dark.light(), lit.light(), dark == lit.with_light(0)),
            (0, 13, true)
        );
        assert_eq!(
            palette.paint("minecraft:smoker", "lit=true"),
            palette.paint("minecraft:smoker", "")
        );
    }

    #[test]
    fn every_name_in_the_table_exists() {
        let (lights, palette) = (Lights::new(LIGHTS), Palette::builtin());
        assert_eq!(lights.0.len(), content_lines(LIGHTS).count());
        for LightRule { pattern, .. } in &lights.0 {
            let known = palette
                .blocks
                .entries()
                .any(|(name, _)| is_like(name, pattern));
            assert!(known, "{pattern}");
        }
    }
}
