//! Tests the chart of `contrib/helm` without a cluster: its objects have the form that Kubernetes
//! requires, and the commands of its pods draw the map of a single run.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::map::{Map, Place, Ran, assert_same_files, program, render, run};
use crate::missing;
use crate::serve::Server;

/// Checks objects strictly against the schemas of Kubernetes, and prints them as JSON.
const CHECK: &str = "
import json, sys, kubernetes_validate, yaml
objects = [value for value in yaml.safe_load_all(sys.stdin) if value]
for value in objects:
    kubernetes_validate.validate(value, '1.37', strict=True)
json.dump(objects, sys.stdout)
";

/// Helm, and a Python with the schemas of Kubernetes.
struct Tools {
    helm: PathBuf,
    python: PathBuf,
}

impl Tools {
    /// Finds the tools that `.ci/run` installs. Returns `None` and reports on the terminal if they
    /// are missing.
    fn find() -> Option<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/helm");
        let tools = Self {
            helm: folder.join("helm"),
            python: folder.join("schemas/bin/python"),
        };
        if tools.helm.is_file() && tools.python.is_file() {
            return Some(tools);
        }

        missing::report(
            "helm",
            "the chart for Kubernetes: .ci/run builds Helm as target/helm/helm",
        );
        None
    }

    fn helm(&self, words: &[&str], values: &[&str]) -> Output {
        let mut helm = Command::new(&self.helm);
        helm.args(words)
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("contrib/helm/pixelmap"))
            .args(values.iter().flat_map(|value| ["--set-json", value]));
        helm.output().unwrap()
    }

    /// Returns the objects of a release with these values, or the fault that Kubernetes would find.
    fn objects(&self, values: &[&str]) -> Result<Vec<Value>, String> {
        let printed = self.helm(&["template", "map"], values);
        assert!(printed.status.success(), "{values:?}: {printed:?}");

        let mut check = Command::new(&self.python)
            .args(["-c", CHECK])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = check.stdin.take().unwrap();
        input.write_all(&printed.stdout).unwrap();
        drop(input);

        let checked = check.wait_with_output().unwrap();
        if checked.status.success() {
            Ok(serde_json::from_slice(&checked.stdout).unwrap())
        } else {
            Err(String::from_utf8(checked.stderr).unwrap())
        }
    }
}

/// Returns the kinds of objects, sorted.
fn kinds(objects: &[Value]) -> Vec<&str> {
    let mut kinds: Vec<_> = objects
        .iter()
        .map(|object| object["kind"].as_str().unwrap())
        .collect();
    kinds.sort_unstable();
    kinds
}

/// Returns the specification of the pods that an object starts.
fn pod(object: &Value) -> Option<&Value> {
    ["/spec/jobTemplate/spec/template", "/spec/template"]
        .into_iter()
        .find_map(|path| object.pointer(path))
        .map(|template| &template["spec"])
}

/// Returns the only object of a kind whose name has this ending.
fn find<'a>(objects: &'a [Value], kind: &str, ending: &str) -> &'a Value {
    let has_name = |object: &&Value| {
        object["kind"] == kind
            && object["metadata"]["name"]
                .as_str()
                .unwrap()
                .ends_with(ending)
    };
    let mut found = objects.iter().filter(has_name);
    match (found.next(), found.next()) {
        (Some(object), None) => object,
        _ => panic!("not one {kind} {ending}: {objects:?}"),
    }
}

/// Returns the command of an object's pod in a place, where `data` and `map` are its volumes.
fn command(place: &Place, object: &Value) -> Command {
    let container = &pod(object).unwrap()["containers"][0];
    let words = container["args"].as_array().unwrap().iter();
    let words = words.map(|word| match word.as_str().unwrap() {
        volume if volume.starts_with('/') => place.at(&volume[1..]).into_os_string(),
        word => word.into(),
    });

    let variables = container["env"].as_array();
    let variables = variables.into_iter().flatten().map(|variable| {
        let [name, value] = ["name", "value"].map(|key| variable[key].as_str().unwrap());
        (name, value)
    });

    let mut command = program();
    command.args(words).envs(variables);
    command
}

/// Runs a pod of a job and waits until it ends.
fn run_pod(place: &Place, object: &Value, index: &str) -> Ran {
    let mut command = command(place, object);
    command.env("JOB_COMPLETION_INDEX", index);
    Ran::of(command.output().unwrap())
}

#[test]
fn objects_of_the_chart_follow_the_schemas() {
    let Some(tools) = Tools::find() else {
        return;
    };

    let linted = tools.helm(&["lint", "--strict"], &[]);
    assert!(linted.status.success(), "{linted:?}");

    let everything: &[&str] = &[
        "serve.ingress={\"enabled\": true, \"className\": \"nginx\", \"tlsSecret\": \"a\"}",
        "serve.ingress.annotations={\"a.org/b\": \"c\"}",
        "serve.hosts=[\"a.org\", \"b.org\"]",
        "serve.basePath=\"/map\"",
        "files={\"pixelmap.toml\": \"layer = ['night']\"}",
        "map.storageClass=\"fast\"",
        "imagePullSecrets=[{\"name\": \"a\"}]",
        "volumes=[{\"name\": \"a\", \"secret\": {\"secretName\": \"b\"}}]",
        "volumeMounts=[{\"name\": \"a\", \"mountPath\": \"/secret\"}]",
        "nodeSelector={\"a\": \"b\"}",
        "tolerations=[{\"key\": \"a\", \"operator\": \"Exists\"}]",
        "affinity={\"podAffinity\": {}}",
    ];
    let shown = [
        "ConfigMap",
        "Deployment",
        "Ingress",
        "PersistentVolumeClaim",
        "Service",
    ];

    for (mode, drawing) in [
        ("nightly", &["CronJob"][..]),
        ("live", &[]),
        ("shards", &["Job", "Job"]),
        ("never", &[]),
    ] {
        let mode = format!("draw.mode=\"{mode}\"");
        let objects = tools.objects(&[&[mode.as_str()], everything].concat());
        let mut expected = [&shown[..], drawing].concat();
        expected.sort_unstable();
        assert_eq!(kinds(&objects.unwrap()), expected, "{mode}");
    }

    let objects = tools.objects(&[]).unwrap();
    let expected = ["CronJob", "Deployment", "PersistentVolumeClaim", "Service"];
    assert_eq!(kinds(&objects), expected);
    let objects = tools.objects(&["map.claim=\"own\""]).unwrap();
    assert_eq!(kinds(&objects), ["CronJob", "Deployment", "Service"]);

    let bucket = [
        "map.bucket=\"s3://maps/a\"",
        "secret=\"keys\"",
        "draw.mode=\"shards\"",
    ];
    let objects = tools.objects(&bucket).unwrap();
    assert_eq!(kinds(&objects), ["Job", "Job"]);
    for pod in objects.iter().filter_map(pod) {
        let container = &pod["containers"][0];
        let words = container["args"].as_array().unwrap();
        assert!(words.contains(&json!("s3://maps/a")), "{words:?}");
        assert_eq!(container["envFrom"][0]["secretRef"]["name"], "keys");
    }

    // The chart passes such values on, so only the schemas find the misspelt field.
    let fault = tools.objects(&["affinity={\"podAffinities\": {}}"]);
    assert!(fault.unwrap_err().contains("podAffinities"));
}

#[test]
fn misspelt_values_of_the_chart_are_refused() {
    let Some(tools) = Tools::find() else {
        return;
    };

    for (value, message) in [
        ("draw.mod=\"live\"", "'mod'"),
        ("draw.mode=\"daily\"", "'live'"),
        ("draw.options={\"LAYER\": \"day\"}", "'LAYER'"),
        ("map.bucket=\"maps\"", "'maps'"),
        (
            "serve.ingress={\"enabled\": true}",
            "name the hosts of the map",
        ),
    ] {
        let refused = tools.helm(&["template", "map"], &[value]);
        let text = String::from_utf8(refused.stderr).unwrap();
        assert!(
            !refused.status.success() && text.contains(message),
            "{text}"
        );
    }
}

#[test]
fn pods_of_the_chart_have_no_rights() {
    let Some(tools) = Tools::find() else {
        return;
    };

    for mode in ["nightly", "live", "shards"] {
        let objects = tools.objects(&[&format!("draw.mode=\"{mode}\"")]).unwrap();
        let pods: Vec<_> = objects.iter().filter_map(pod).collect();
        assert!(!pods.is_empty());

        for pod in pods {
            assert_eq!(pod["automountServiceAccountToken"], false);
            assert_eq!(pod["securityContext"]["runAsNonRoot"], true);
            assert_eq!(
                pod["containers"][0]["securityContext"],
                json!({
                    "allowPrivilegeEscalation": false,
                    "capabilities": { "drop": ["ALL"] },
                    "readOnlyRootFilesystem": true,
                })
            );

            let mounts = pod["containers"][0]["volumeMounts"].as_array().unwrap();
            let world = mounts.iter().find(|mount| mount["name"] == "world");
            assert!(world.is_none_or(|world| world["readOnly"] == true));
        }
    }
}

#[test]
fn the_claim_of_the_map_is_writable() {
    let Some(tools) = Tools::find() else {
        return;
    };

    let objects = tools.objects(&[]).unwrap();
    for (kind, mount_is_read_only) in [("CronJob", false), ("Deployment", true)] {
        let pod = pod(find(&objects, kind, "")).unwrap();
        let named = |list: &Value| {
            let mut found = list.as_array().unwrap().iter();
            found.find(|item| item["name"] == "map").unwrap().clone()
        };

        let mount = named(&pod["containers"][0]["volumeMounts"]);
        assert_eq!(mount["readOnly"], mount_is_read_only, "{kind}");
        // If the server claimed the map read-only, Kubernetes would not give the map to the user.
        let claim = &named(&pod["volumes"])["persistentVolumeClaim"];
        assert_eq!(claim["readOnly"], Value::Null, "{kind}");
    }
}

#[test]
fn pods_of_the_chart_draw_one_map() {
    let Some(tools) = Tools::find() else {
        return;
    };

    let place = Place::of_demo(6);
    place.copy("world", "data/world");
    let single = place.draw("single", &["-l", "day", "-l", "height"]).files();
    let layers = "draw.options={\"PIXELMAP_LAYER\": \"day,height\"}";

    let shards = ["draw.mode=\"shards\"", "draw.shards=3", layers];
    let objects = tools.objects(&shards).unwrap();
    let job = find(&objects, "Job", "-shards");
    assert_eq!(job["spec"]["completions"], 3);

    for index in ["2", "0", "1"] {
        run_pod(&place, job, index).expect(0, index);
    }
    run_pod(&place, find(&objects, "Job", "-merge"), "").expect(0, "the merge");
    assert_same_files("shards", &single, &Map::at(&place.at("map")).files());

    let objects = tools.objects(&[layers]).unwrap();
    let ran = run_pod(&place, find(&objects, "CronJob", ""), "").expect(0, "the next night");
    assert!(ran.err.contains("0 regions drawn"), "{}", ran.err);
    assert_same_files("nightly", &single, &Map::at(&place.at("map")).files());
}

#[test]
fn pods_of_the_chart_show_the_map() {
    let Some(tools) = Tools::find() else {
        return;
    };

    let place = Place::of_demo(1);
    place.copy("world", "data/world");

    for (mode, base_path) in [("live", "/"), ("nightly", "/a/b")] {
        let values = [
            &format!("draw.mode=\"{mode}\""),
            &format!("serve.basePath=\"{base_path}\""),
        ];
        let objects = tools.objects(&values.map(String::as_str)).unwrap();
        let deployment = find(&objects, "Deployment", "");
        let container = &pod(deployment).unwrap()["containers"][0];

        let mut serve = command(&place, deployment);
        serve.env("PIXELMAP_LISTEN", "127.0.0.1:0");
        let server = Server::start(serve);
        let page = container["livenessProbe"]["httpGet"]["path"].as_str();
        assert!(server.url.ends_with(page.unwrap()), "{}", server.url);
        run(&["serve", "--check", &server.url]).expect(0, mode);

        // The nightly pod needs a map.
        drop(server);
        render(&place.at("data/world"), &place.at("map"), &[]).expect(0, "a night");
    }
}
