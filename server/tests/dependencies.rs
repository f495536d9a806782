//! The server stays thin: it computes nothing on a GPU, so it links nothing that does.

use std::process::Command;

#[test]
fn neither_engine_nor_gpu_is_linked() {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["tree", "--package", "server", "--edges", "normal", "--prefix", "none", "--locked"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tree = String::from_utf8(output.stdout).expect("text");
    let crates: Vec<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(crates.contains(&"axum") && crates.contains(&"app"), "{tree}");
    for name in crates {
        let is_gpu = name.starts_with("wgpu") || ["engine", "shaders", "naga", "worker"].contains(&name);
        assert!(!is_gpu, "the server links {name}");
    }
}
