//! Reads the names of players in the answers of a game server to `list`, in the forms of the game
//! and of plugins.
//!
//! Names are sent back to the game server in commands, so a name that a command could misunderstand
//! is left out.
//!
//! Source for `EssentialsX`: `PlayerList.java`, `Commandrealname.java` and its messages.

/// The longest name of a player, and the longest nickname.
const MAX_NAME: usize = 32;
/// What `EssentialsX` puts in front of a nickname.
const NICKNAME: char = '~';

/// The tags, in small letters, that mark a player who is hidden from others in the list of the console:
/// `listHiddenTag` of `EssentialsX` in its languages, and the words of other plugins.
const HIDDEN_TAGS: [&str; 31] = [
    "ascuns",
    "escondido",
    "ezkutatuta",
    "gömd",
    "hidden",
    "invisible",
    "masqué",
    "nakatago",
    "nascosto",
    "ne vidljiv",
    "oculto",
    "peidetud",
    "rejtett",
    "sakriven",
    "skjult",
    "skrytý",
    "ukryty",
    "v",
    "vanish",
    "vanished",
    "verborgen",
    "versteckt",
    "ẩn thân",
    "прихований",
    "скрит",
    "скрыт",
    "מוסתר",
    "ซ่อน",
    "隐身",
    "隱身",
    "숨김",
];

/// A player in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ListedPlayer {
    Name(String),
    /// A nickname of `EssentialsX`, without its prefix.
    Nickname(String),
}

/// Returns the players in the answer to `list`, at most `max`. It is
/// `There are 2 of a max of 20 players online: Alice, Bob`, and some plugins have one line for each
/// group of players. Hidden players are left out.
pub(super) fn listed(answer: &str, max: usize) -> Vec<ListedPlayer> {
    let plain = without_colours(answer);
    let lists = plain.lines().filter_map(|line| line.rsplit_once(':'));

    // The names of old versions begin on the next line.
    let rest = plain.split_once(":\n").map_or("", |(_, rest)| rest);
    let entries = lists
        .flat_map(|(_, list)| list.split(','))
        .chain(rest.split(','));

    let mut players = Vec::new();
    for player in entries.filter_map(listed_player) {
        if players.len() < max && !players.contains(&player) {
            players.push(player);
        }
    }

    players
}

/// Reads an entry such as `Alice`, `[AFK] Alice`, `~Ally` or `[AFK]~Ally (Alice)`.
fn listed_player(entry: &str) -> Option<ListedPlayer> {
    let mut shown = entry.trim();
    while let Some((tag, rest)) = first_tag(shown).or_else(|| last_tag(shown)) {
        if HIDDEN_TAGS.contains(&tag.trim().to_lowercase().as_str()) {
            return None;
        }
        shown = rest.trim();
    }

    let real = shown
        .strip_suffix(')')
        .and_then(|shown| shown.rsplit_once('('));
    if let Some((_, name)) = real {
        shown = name;
    }

    let nickname = shown.strip_prefix(NICKNAME);
    let name = nickname.unwrap_or(shown);
    if !is_name(name) {
        return None;
    }

    Some(match nickname {
        Some(_) => ListedPlayer::Nickname(name.to_owned()),
        None => ListedPlayer::Name(name.to_owned()),
    })
}

/// Splits a tag in brackets from the front of a name.
fn first_tag(shown: &str) -> Option<(&str, &str)> {
    shown.strip_prefix('[')?.split_once(']')
}

/// Splits a tag in brackets from the end of a name.
fn last_tag(shown: &str) -> Option<(&str, &str)> {
    let (rest, tag) = shown.strip_suffix(']')?.rsplit_once(" [")?;
    Some((tag, rest))
}

/// Returns the name in the answer to `realname`, which is `~Ally is Alice` in the language of the
/// server. The answer has one line for each player whose shown name contains the nickname. `None`
/// if two players have the same nickname, because one of them may be hidden.
pub(super) fn real_name(answer: &str, nickname: &str) -> Option<String> {
    let plain = without_colours(answer);
    let mut names = plain.lines().filter_map(|line| {
        let (_, rest) = line.split_once(NICKNAME)?;
        let rest = rest.strip_prefix(nickname)?;
        let name = rest.rsplit(|c| !is_name_letter(c)).next()?;
        (!rest.starts_with(is_name_letter) && is_name(name)).then_some(name)
    });

    let name = names.next()?;
    names.next().is_none().then(|| name.to_owned())
}

fn is_name(name: &str) -> bool {
    (1..=MAX_NAME).contains(&name.len()) && name.chars().all(is_name_letter)
}

fn is_name_letter(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_.-+".contains(c)
}

/// Removes colours, which are `§` and a letter.
pub(super) fn without_colours(text: &str) -> String {
    let mut parts = text.split('§');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let mut letters = part.chars();
        letters.next();
        text + letters.as_str()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The players in an answer. Nicknames begin with their prefix.
    fn read(answer: &str) -> Vec<String> {
        let text = |player| match player {
            ListedPlayer::Name(name) => name,
            ListedPlayer::Nickname(name) => format!("{NICKNAME}{name}"),
        };
        listed(answer, 100).into_iter().map(text).collect()
    }

    #[test]
    fn names_are_read_from_every_kind_of_list() {
        for (answer, expected) in [
            ("There are 0 of a max of 20 players online: ", &[][..]),
            (
                "There are 2 of a max of 20 players online: Alice, Bob_2",
                &["Alice", "Bob_2"],
            ),
            (
                "There are 2/20 players online:\nAlice, Bob_2",
                &["Alice", "Bob_2"],
            ),
            (
                "§6There are §c2§6 players online.\n§6default§r: §rAlice\nadmins: .Bob",
                &["Alice", ".Bob"],
            ),
            (
                "There are 3 of a max of 20 players online: Al ice, @a, x[y=1], Alice",
                &["Alice"],
            ),
            (
                "default: §7[AFK]§rAlice, [Admin] [AFK] Bob, Cid [AFK], ~@e, []",
                &["Alice", "Bob", "Cid"],
            ),
            (
                "default: §7[AFK]§r§c~Ally§f, ~Bobby (Bob), ~Ally",
                &["~Ally", "Bob"],
            ),
        ] {
            assert_eq!(read(answer), expected, "{answer}");
        }
    }

    #[test]
    fn hidden_players_of_plugins_are_left_out() {
        let answer = "default: §7[AFK]§r§7[HIDDEN]§rAlice, [Versteckt]~Ally, [СКРЫТ] Bob, \
                      Cid [vanished], [隐身]Dan (Daniel), Eve";
        assert_eq!(read(answer), ["Eve"]);
    }

    #[test]
    fn nicknames_lead_to_one_name_or_none() {
        for (answer, name) in [
            ("§c~Ally§r§6 is §fAlice", Some("Alice")),
            ("~Ally是Alice", Some("Alice")),
            (
                "~Ally2 is Bob\n~Ally is Alice\nAllyson is Allyson",
                Some("Alice"),
            ),
            ("~Ally is Alice\n~Ally is Bob", None),
            (
                "Unknown or incomplete command\nrealname Ally<--[HERE]",
                None,
            ),
            ("~Ally", None),
            ("", None),
        ] {
            assert_eq!(real_name(answer, "Ally").as_deref(), name, "{answer}");
        }
    }
}
