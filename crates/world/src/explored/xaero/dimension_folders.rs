//! Names the folders of dimensions.

/// Returns the name of the folder of a dimension, whatever characters its id has.
pub fn dimension_folder(id: &str) -> String {
    match id {
        "overworld" => "null".to_owned(),
        "the_nether" => "DIM-1".to_owned(),
        "the_end" => "DIM1".to_owned(),
        _ => {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
            let parts = id.replace(':', "$").replace('/', "%");
            let name = parts.replace(|c: char| !is_plain(c) && c != '$' && c != '%', "_");
            let is_dots = name.chars().all(|c| c == '.');
            if is_dots { format!("_{name}") } else { name }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_dimensions_are_safe_names() {
        for (id, folder) in [
            ("overworld", "null"),
            ("the_nether", "DIM-1"),
            ("DIM7", "DIM7"),
            ("mod:sky/islands", "mod$sky%islands"),
            ("a b\\c|d", "a_b_c_d"),
            ("..", "_.."),
            ("../x", "..%x"),
        ] {
            assert_eq!(dimension_folder(id), folder, "{id}");
        }
    }
}
