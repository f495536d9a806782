//! What kernels for the matrix units of a device have in common.

/// Rows from which on prefill rounds them, to halves for matrix units or to int8: more than are verified together.
pub const MIN_ROWS: u32 = 9;
/// Workgroup memory of the largest kernel, in bytes.
pub const WORKGROUP_MEMORY: u32 = 46 << 10;

/// Returns what `choose` returns for [`MIN_ROWS`] to `most_rows` rows, each once.
pub(crate) fn choices<T: PartialEq>(most_rows: u32, choose: impl Fn(u32) -> T) -> Vec<T> {
    let mut all = Vec::new();
    for chosen in (MIN_ROWS..=most_rows).map(choose) {
        if !all.contains(&chosen) {
            all.push(chosen);
        }
    }
    all
}

/// A spelling of matrices of halves in WGSL: there is no standard yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// wgpu's `EXPERIMENTAL_COOPERATIVE_MATRIX`.
    Wgpu,
    /// Chromium's `chromium-experimental-subgroup-matrix`, behind a flag. Its kernels need `shader-f16` as well.
    Chromium,
}

impl Dialect {
    /// The one that this target compiles.
    pub const HERE: Self = if cfg!(target_arch = "wasm32") { Self::Chromium } else { Self::Wgpu };

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Wgpu => "wgpu",
            Self::Chromium => "chromium",
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    /// How many matrices a kernel for Chromium loads from places that are constants, and the other places. Chromium checks these at
    /// run time, which made products take 1.5 to 1.7 times as long (`MEASUREMENTS.md`).
    pub fn places(wgsl: &str) -> (usize, Vec<&str>) {
        let constant =
            |name: &str| wgsl.contains(&format!("const {name} ")) || wgsl.contains(&format!("const {name}:"));
        let is_constant = |place: &str| {
            let words = place.split(|c: char| !c.is_alphanumeric() && c != '_');
            words.filter(|word| word.starts_with(char::is_alphabetic)).all(constant)
        };
        let places = wgsl.lines().filter_map(|line| {
            let (_, arguments) = line.split_once("subgroupMatrixLoad<")?.1.split_once(">(")?;
            Some(arguments.split_once(", ")?.1.rsplit_once(", ")?.0)
        });
        let (constant, other): (Vec<_>, Vec<_>) = places.partition(|place| is_constant(place));
        (constant.len(), other)
    }
}
