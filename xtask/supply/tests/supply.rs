//! What the program writes of this workspace.

use std::fs;
use std::process::Command;

#[test]
fn both_lists_name_what_is_shipped_and_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let status = Command::new(env!("CARGO_BIN_EXE_supply")).arg(folder.path()).status();
    assert!(status.expect("the program starts").success());
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("a list");
    let notices = read("third-party-licenses.txt");
    let bill: serde_json::Value = serde_json::from_str(&read("sbom.cdx.json")).expect("JSON");
    let components = bill["components"].as_array().expect("components");
    let is_listed = |name: &str| components.iter().any(|component| component["name"] == name);
    for shipped in ["leptos", "wgpu", "axum"] {
        assert!(is_listed(shipped) && notices.contains(shipped), "{shipped}");
    }
    for font in ["The Inter Project Authors", "The STIX Fonts Project Authors"] {
        assert!(notices.contains(font), "{font}");
    }
    // The test runner's own.
    assert!(!is_listed("proptest"));
}
