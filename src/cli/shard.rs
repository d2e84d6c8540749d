//! Reads which shard a run draws.
//!
//! The user types `I/N`, or names the engine that runs one job per shard. In the second case the
//! number of the job is in an environment variable that the engine sets.

use pixelmap_draw::Shard;

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
    match text.split_once('/') {
        None if text == "slurm" => {
            let id = job_number("SLURM_ARRAY_TASK_ID", &variable)?;
            let min = job_number("SLURM_ARRAY_TASK_MIN", &variable)?;
            let max = job_number("SLURM_ARRAY_TASK_MAX", &variable)?;
            let tasks = job_number("SLURM_ARRAY_TASK_COUNT", &variable)?;
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
        Some(("slurm", all)) => {
            let id = job_number("SLURM_ARRAY_TASK_ID", &variable)?;
            new_shard(id, shard_count(all)?)
        }
        Some(("k8s", all)) => {
            let index = job_number("JOB_COMPLETION_INDEX", &variable)?;
            new_shard(index.saturating_add(1), shard_count(all)?)
        }
        _ => text.parse(),
    }
}

/// Returns the number in an environment variable of the engine.
fn job_number(name: &str, variable: impl Fn(&str) -> Option<String>) -> Result<u32, String> {
    let value = variable(name).ok_or_else(|| {
        format!("the variable {name} is not set: run this inside such a job, or give I/N")
    })?;
    value
        .parse()
        .map_err(|_| format!("the variable {name} is {value}, which is not a number: give I/N"))
}

fn shard_count(text: &str) -> Result<u32, String> {
    text.parse()
        .map_err(|_| format!("{text} is not a number of shards: give one, such as 16"))
}

fn new_shard(number: u32, count: u32) -> Result<Shard, String> {
    Shard::new(number, count)
        .ok_or_else(|| format!("the job is number {number} of {count}: give I/N yourself"))
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
