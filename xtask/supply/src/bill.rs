//! The bill of materials, in the format of CycloneDX 1.6.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::graph::{Graph, Package};

/// The bill. There is no time and no number in it, so that equal builds have equal bills.
pub fn of(graph: &Graph, checksums: &BTreeMap<String, String>) -> Value {
    let own = graph.packages.values().filter(|package| package.source.is_none());
    let shipped: Vec<String> = own.map(Package::url).collect();
    let name = "gemtab";
    let mut depends = vec![json!({"ref": name, "dependsOn": shipped})];
    depends.extend(graph.depends.iter().map(|(url, on)| json!({"ref": url, "dependsOn": on})));
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": name,
                "name": name,
                "version": env!("CARGO_PKG_VERSION"),
                "licenses": [{"expression": env!("CARGO_PKG_LICENSE")}],
            },
        },
        "components": graph.packages.values().map(|package| component(package, checksums)).collect::<Vec<_>>(),
        "dependencies": depends,
    })
}

fn component(package: &Package, checksums: &BTreeMap<String, String>) -> Value {
    let url = package.url();
    let mut component = json!({
        "type": "library",
        "bom-ref": url,
        "name": package.name,
        "version": package.version,
        "purl": url,
        "licenses": [{"expression": package.license()}],
    });
    if let Some(checksum) = checksums.get(&url) {
        component["hashes"] = json!([{"alg": "SHA-256", "content": checksum}]);
    }
    if let Some(repository) = &package.repository {
        component["externalReferences"] = json!([{"type": "vcs", "url": repository}]);
    }
    component
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::tests::graph;

    #[test]
    fn every_component_is_named_with_licence_checksum_and_dependencies() {
        let one = "pkg:cargo/one@1.0.0";
        let bill = of(&graph(), &BTreeMap::from([(one.into(), "abc".into())]));
        let components = bill["components"].as_array().expect("a list");
        assert_eq!(components.len(), 3);
        let component = components.iter().find(|component| component["bom-ref"] == one).expect("one");
        assert_eq!(component["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(component["hashes"][0], json!({"alg": "SHA-256", "content": "abc"}));
        let depends = bill["dependencies"].as_array().expect("a list");
        assert!(depends.contains(&json!({"ref": one, "dependsOn": ["pkg:cargo/two@1.0.0"]})));
        assert!(depends.contains(&json!({"ref": "gemtab", "dependsOn": ["pkg:cargo/app@1.0.0"]})));
    }
}
