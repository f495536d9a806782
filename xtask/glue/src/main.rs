//! `glue INPUT.wasm OUT_DIR NAME` writes `NAME.js` and `NAME_bg.wasm`: the wasm file and the JavaScript module that
//! loads it.
//!
//! It is a crate of its own because the generator takes much longer to compile than the rest of `xtask`, and it is
//! linked as a library so that its version comes from the lock file: generator and library must match exactly.

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let arguments: Vec<_> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [input, out_dir, name] = arguments.as_slice() else {
        bail!("usage: glue INPUT.wasm OUT_DIR NAME");
    };
    let name = name.to_str().context("the name is not UTF-8")?;
    Bindgen::new()
        .input_path(input)
        .out_name(name)
        .web(true)?
        .typescript(false)
        // The caller names the wasm file, whose final name carries a hash.
        .omit_default_module_path(true)
        .generate(out_dir)
        .with_context(|| format!("cannot generate the glue of {}", input.display()))
}
