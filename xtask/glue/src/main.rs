//! `glue INPUT.wasm OUT_DIR NAME` writes `NAME.js` and `NAME_bg.wasm`: the wasm file and the JavaScript module that
//! loads it. Of a bundle with parts that are fetched later it also writes these: `parts/*.wasm`, and `parts/parts.js`,
//! which fetches them.
//!
//! It is a crate of its own because the generator takes much longer to compile than the rest of `xtask`, and it is
//! linked as a library so that its version comes from the lock file: generator and library must match exactly.

mod unused;

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};
use wasm_bindgen_cli_support::Bindgen;

/// The section that a bundle with parts has.
const SPLIT_POINTS: &[u8] = b"__wasm_split_00";

fn main() -> Result<()> {
    let arguments: Vec<_> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [input, out_dir, name] = arguments.as_slice() else {
        bail!("usage: glue INPUT.wasm OUT_DIR NAME");
    };
    let name = name.to_str().context("the name is not UTF-8")?;
    let wasm = std::fs::read(input).with_context(|| format!("cannot read {}", input.display()))?;
    let wasm = unused::empty_functions(wasm).with_context(|| format!("cannot change {}", input.display()))?;
    let has_parts = wasm.windows(SPLIT_POINTS.len()).any(|bytes| bytes == SPLIT_POINTS);
    let main = if has_parts { split(&wasm, out_dir, name)? } else { wasm };
    Bindgen::new()
        .input_bytes(name, main)
        .out_name(name)
        .web(true)?
        .typescript(false)
        // What the parts share with the bundle are exports of the linker, by mangled names.
        .keep_lld_exports(has_parts)
        .demangle(!has_parts)
        // The caller names the wasm file, whose final name carries a hash.
        .omit_default_module_path(true)
        .generate(out_dir)
        .with_context(|| format!("cannot generate the glue of {}", input.display()))
}

/// Takes the parts out of a bundle. What is left is the main file, which has the generator's work still before it.
fn split(wasm: &[u8], out_dir: &Path, name: &str) -> Result<Vec<u8>> {
    let parts = out_dir.join("parts");
    let main_file = out_dir.join("main.wasm");
    let script = format!("./{name}.js");
    let mut options = wasm_split_cli_support::Options::new(wasm);
    options.output_dir = &parts;
    options.main_out_path = &main_file;
    options.main_module = &script;
    options.link_name = "./parts.js";
    wasm_split_cli_support::transform(options)
        .map_err(|error| anyhow!("cannot take the parts out: {error:#}"))?;
    let main = std::fs::read(&main_file).with_context(|| format!("cannot read {}", main_file.display()))?;
    std::fs::remove_file(&main_file).with_context(|| format!("cannot remove {}", main_file.display()))?;
    Ok(main)
}
