//! Reads which shard a run draws.
//!
//! The user types `I/N`, or names the engine that runs one job per shard. In the second case the
//! number of the job is in an environment variable that the engine sets.

use pixelmap::draw::Shard;

/// Parses `I/N`, or the name of an engine whose environment variables hold the numbers.
pub(crate) fn parse_shard(text: &str) -> Result<Shard, String> {
    parse_shard_with(text, |name| std::env::var(name).ok())
}

/// Does the work of `parse_shard`. `variable` looks up an environment variable, so that tests can
/// replace it.
fn parse_shard_with(
    text: &str,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Shard, String> {
    let number = |name: &str| -> Result<u32, String> {
        let value = variable(name).ok_or_else(|| {
            format!("the variable {name} is not set: run this inside such a job, or give I/N")
        })?;
        value
            .parse()
            .map_err(|_| format!("the variable {name} is {value}, which is not a number: give I/N"))
    };

    let new_shard = |number: u32, count: u32| {
        Shard::new(number, count)
            .ok_or_else(|| format!("the job is number {number} of {count}: give I/N yourself"))
    };

    let count = |text: &str| {
        text.parse::<u32>()
            .map_err(|_| format!("{text} is not a number of shards: give one, such as 16"))
    };

    match text.split_once('/') {
        None if text == "slurm" => {
            let name = |end: &str| format!("SLURM_ARRAY_TASK_{end}");
            let [id, min, max, tasks] = ["ID", "MIN", "MAX", "COUNT"].map(|end| number(&name(end)));
            let id = id?;

            let min = min?;
            let max = max?;
            let tasks = tasks?;
            if max < min || max - min + 1 != tasks {
                return Err(
                    "the array leaves out numbers, so the number of shards is unknown: give \
                     slurm/N, with numbers from 1"
                        .to_owned(),
                );
            }

            new_shard(id.wrapping_sub(min).saturating_add(1), tasks)
        }
        None if text == "k8s" => {
            Err("Kubernetes does not set the number of pods: give k8s/N".to_owned())
        }
        Some(("slurm", all)) => new_shard(number("SLURM_ARRAY_TASK_ID")?, count(all)?),
        Some(("k8s", all)) => new_shard(
            number("JOB_COMPLETION_INDEX")?.saturating_add(1),
            count(all)?,
        ),
        _ => text.parse(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_with_variables(text: &str, variables: &[(&str, &str)]) -> Result<String, String> {
        let variable = |name: &str| {
            variables
                .iter()
                .find(|(of, _)| *of == name)
                .map(|(_, value)| (*value).to_owned())
        };
        parse_shard_with(text, variable).map(|shard| shard.to_string())
    }

    #[test]
    fn a_shard_is_typed_or_engine_set() {
        let task = |id, min, max, count| {
            [("ID", id), ("MIN", min), ("MAX", max), ("COUNT", count)]
                .map(|(end, value)| (format!("SLURM_ARRAY_TASK_{end}"), value))
        };

        let slurm = |text: &str, variables: [(String, &'static str); 4]| {
            parse_with_variables(
                text,
                &variables
                    .each_ref()
                    .map(|(name, value)| (name.as_str(), *value)),
            )
        };

        assert_eq!(parse_with_variables("3/16", &[]).unwrap(), "3/16");
        assert_eq!(slurm("slurm", task("3", "1", "8", "8")).unwrap(), "3/8");
        assert_eq!(slurm("slurm", task("0", "0", "7", "8")).unwrap(), "1/8");

        // If one task is run again alone, Slurm's variables describe that task only.
        assert!(
            slurm("slurm", task("3", "3", "7", "2"))
                .unwrap_err()
                .contains("slurm/N")
        );

        assert_eq!(slurm("slurm/8", task("3", "3", "3", "1")).unwrap(), "3/8");
        assert_eq!(
            parse_with_variables("k8s/4", &[("JOB_COMPLETION_INDEX", "0")]).unwrap(),
            "1/4"
        );

        for wrong in ["0/3", "4/3", "3", "a/b", "slurm", "k8s", "k8s/4", "1/-1"] {
            assert!(parse_with_variables(wrong, &[]).is_err(), "{wrong}");
        }

        assert!(parse_with_variables("k8s/4", &[("JOB_COMPLETION_INDEX", "4")]).is_err());
    }
}
