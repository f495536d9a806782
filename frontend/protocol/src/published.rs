//! The published models of Ollama's registry, and about how much graphics memory they take. It is known before their files
//! are here, where [`FitVerdict`](crate::FitVerdict) needs a file's header. A test of the worker compares it with the plans.

/// A published model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Published {
    /// Its name in the registry.
    pub name: &'static str,
    /// Bytes of its file, as the registry rounds them.
    pub size: u64,
    /// Bytes of graphics memory with the whole file and the default context.
    pub whole: u64,
    /// Least bytes of graphics memory: with the shortest context, and without what may stay outside, which is the per-layer
    /// table, or most experts.
    pub least: u64,
}

/// About how a published model fits a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AboutFit {
    /// All of it fits.
    Fits,
    /// It fits with a shorter context, or partly.
    Tight,
    /// It doesn't fit, by so many bytes.
    TooLarge {
        /// Bytes that are missing.
        missing: u64,
    },
}

impl Published {
    /// About how it fits a device of so many bytes.
    #[must_use]
    pub const fn fit(&self, available: u64) -> AboutFit {
        if self.whole <= available {
            AboutFit::Fits
        } else if self.least <= available {
            AboutFit::Tight
        } else {
            AboutFit::TooLarge { missing: self.least - available }
        }
    }
}

/// All of them: sizes of the files as ollama.com/library/gemma4 rounds them (June 2026), memory as the engine computes it.
pub const PUBLISHED: [Published; 5] = [
    Published { name: "gemma4:e2b", size: 7_200_000_000, whole: 7_600_000_000, least: 3_000_000_000 },
    Published { name: "gemma4:e4b", size: 9_600_000_000, whole: 10_200_000_000, least: 4_500_000_000 },
    Published { name: "gemma4:12b", size: 7_600_000_000, whole: 8_500_000_000, least: 8_100_000_000 },
    Published { name: "gemma4:26b", size: 18_000_000_000, whole: 19_000_000_000, least: 4_300_000_000 },
    Published { name: "gemma4:31b", size: 20_000_000_000, whole: 22_500_000_000, least: 21_200_000_000 },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_fits_whole_or_partly_or_not() {
        let model = Published { name: "a", size: 80, whole: 100, least: 60 };
        assert_eq!(
            [100, 99, 60].map(|available| model.fit(available)),
            [AboutFit::Fits, AboutFit::Tight, AboutFit::Tight]
        );
        assert_eq!(model.fit(50), AboutFit::TooLarge { missing: 10 });
    }
}
