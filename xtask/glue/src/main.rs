//! `glue INPUT.wasm OUT_DIR NAME` writes `NAME.js` and `NAME_bg.wasm`: the wasm file and the JavaScript module that
//! loads it.
//!
//! It is a crate of its own because the generator takes much longer to compile than the rest of `xtask`, and it is
//! linked as a library so that its version comes from the lock file: generator and library must match exactly.

use std::path::PathBuf;

use anyhow::{Context as _, Result, anyhow, bail};
use walrus::{FunctionBuilder, FunctionKind, Module};
use wasm_bindgen_cli_support::Bindgen;

/// How the names of functions end that no bundle calls, though tables refer to them: every type of a view can hydrate
/// at once, or while it waits for parts that are loaded lazily. The page has none of those (it calls `hydrate_body`), and
/// without the bodies of these futures it is smaller by a third. What they share with other functions has other names.
const NEVER_CALLED: &str = "13hydrate_async";
/// How a name goes on from there when it is the body of the future.
const BODY: &str = "28_$u7b$$u7b$closure$u7d$$u7d$";

fn main() -> Result<()> {
    let arguments: Vec<_> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [input, out_dir, name] = arguments.as_slice() else {
        bail!("usage: glue INPUT.wasm OUT_DIR NAME");
    };
    let name = name.to_str().context("the name is not UTF-8")?;
    let wasm = std::fs::read(input).with_context(|| format!("cannot read {}", input.display()))?;
    let wasm = empty_functions(&wasm).with_context(|| format!("cannot change {}", input.display()))?;
    Bindgen::new()
        .input_bytes(name, wasm)
        .out_name(name)
        .web(true)?
        .typescript(false)
        // The caller names the wasm file, whose final name carries a hash.
        .omit_default_module_path(true)
        .generate(out_dir)
        .with_context(|| format!("cannot generate the glue of {}", input.display()))
}

/// The bundle with nothing in its functions that are never called. One that is called all the same traps.
fn empty_functions(wasm: &[u8]) -> Result<Vec<u8>> {
    // The names stay for the generator and the optimiser, which strips them.
    let mut module = Module::from_buffer(wasm).map_err(|error| anyhow!("{error:#}"))?;
    let is_unused = |name: &String| {
        name.split_once(NEVER_CALLED).is_some_and(|(_, rest)| {
            let hash = rest.trim_start_matches(BODY);
            hash.len() < rest.len() && hash.starts_with("17h") && hash.len() == "17h0123456789abcdefE".len()
        })
    };
    let unused: Vec<_> = module
        .funcs
        .iter_local()
        .filter(|(id, _)| module.funcs.get(*id).name.as_ref().is_some_and(is_unused))
        .map(|(id, function)| (id, function.ty(), function.args.clone()))
        .collect();
    for (id, ty, arguments) in unused {
        let (parameters, results) = module.types.params_results(ty);
        let (parameters, results) = (parameters.to_vec(), results.to_vec());
        let mut empty = FunctionBuilder::new(&mut module.types, &parameters, &results);
        empty.func_body().unreachable();
        module.funcs.get_mut(id).kind = FunctionKind::Local(empty.local_func(arguments));
    }
    Ok(module.emit_wasm())
}
