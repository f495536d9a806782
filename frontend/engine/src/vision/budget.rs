//! Image size and number of soft tokens.

use super::PictureError;

/// Side of a patch in pixels.
pub const PATCH: u32 = 16;
/// Side in patches of the square that becomes one soft token.
pub const POOL: u32 = 3;
/// Side of that square in pixels.
pub const CELL: u32 = PATCH * POOL;

/// Maximum number of soft tokens per image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Budget(u32);

impl Budget {
    /// The budgets that the models were trained with, ascending.
    pub const ALL: [Self; 5] = [Self(70), Self(140), Self(280), Self(560), Self(1120)];
    /// For a frame of a video.
    pub const FRAME: Self = Self(70);
    /// The largest.
    pub const MAX: Self = Self(1120);

    /// Returns the budget of exactly `tokens` soft tokens.
    ///
    /// # Errors
    /// [`PictureError::Budget`] for any other number.
    pub fn new(tokens: u32) -> Result<Self, PictureError> {
        let known = Self::ALL.into_iter().find(|budget| budget.0 == tokens);
        known.ok_or(PictureError::Budget { tokens })
    }

    /// Soft tokens.
    pub const fn tokens(self) -> u32 {
        self.0
    }

    /// Patches: a square of the pool per soft token.
    pub const fn patches(self) -> u32 {
        self.0 * POOL * POOL
    }
}

impl Default for Budget {
    /// Returns the default budget of the models.
    fn default() -> Self {
        Self(280)
    }
}

/// Size of a resized image; both sides are multiples of [`CELL`] pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Size {
    /// Pixels of a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
}

impl Size {
    /// Patches per row.
    pub const fn columns(self) -> u32 {
        self.width / PATCH
    }

    /// Patches.
    pub const fn patches(self) -> u32 {
        self.columns() * (self.height / PATCH)
    }

    /// Soft tokens.
    pub const fn tokens(self) -> u32 {
        (self.width / CELL) * (self.height / CELL)
    }
}

/// Returns the size that an image is resized to, up or down: the largest with its aspect ratio within the budget
/// (specification §9.1).
///
/// # Errors
/// [`PictureError::Empty`] without pixels, [`PictureError::Shape`] when the aspect ratio is too extreme.
pub fn target_size(width: u32, height: u32, budget: Budget) -> Result<Size, PictureError> {
    if width == 0 || height == 0 {
        return Err(PictureError::Empty { width, height });
    }
    let cell = f64::from(CELL);
    let area = u64::from(budget.patches()) * u64::from(PATCH * PATCH);
    let scale = (area as f64 / (f64::from(width) * f64::from(height))).sqrt();
    let fit = |side: u32| (scale * f64::from(side) / cell).floor() as u32 * CELL;
    let (mut w, mut h) = (fit(width), fit(height));
    let longest = budget.tokens() * CELL;
    // The short side of a strip is one cell; the long side follows from the aspect ratio.
    let along = |long: u32, short: u32| (long / short).saturating_mul(CELL).min(longest);
    match (w, h) {
        (0, 0) => return Err(PictureError::Shape { width, height }),
        (_, 0) => (w, h) = (along(width, height), CELL),
        (0, _) => (w, h) = (CELL, along(height, width)),
        _ => {}
    }
    if u64::from(w) * u64::from(h) > area {
        return Err(PictureError::Shape { width, height });
    }
    Ok(Size { width: w, height: h })
}

/// Soft tokens of an image of this size in pixels, without the begin and end tokens.
///
/// # Errors
/// Same as [`target_size`].
pub fn image_tokens(width: u32, height: u32, budget: Budget) -> Result<u32, PictureError> {
    Ok(target_size(width, height, budget)?.tokens())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(width: u32, height: u32, tokens: u32) -> (u32, u32, u32) {
        let size = target_size(width, height, Budget::new(tokens).expect("a budget")).expect("a size");
        (size.width, size.height, size.tokens())
    }

    #[test]
    fn pictures_fill_their_budget_in_steps_of_48_pixels() {
        assert_eq!(size(320, 200, 70), (480, 288, 60));
        assert_eq!(size(97, 301, 70), (192, 672, 56));
        assert_eq!(size(48, 48, 280), (768, 768, 256));
        assert_eq!(size(4000, 3000, 1120), (1824, 1344, 1064));
    }

    #[test]
    fn strips_keep_one_cell() {
        assert_eq!(size(640, 33, 70), (1728, 48, 36));
        // 1 by 5000 pixels: as long as the budget allows.
        assert_eq!(size(1, 5000, 280), (48, 13_440, 280));
        assert_eq!(size(5000, 1, 70), (3360, 48, 70));
        assert_eq!(size(32_768, 1, 1120), (53_760, 48, 1120));
    }

    #[test]
    fn nothing_is_refused_in_words() {
        let budget = Budget::default();
        assert_eq!(target_size(0, 9, budget), Err(PictureError::Empty { width: 0, height: 9 }));
        assert_eq!(Budget::new(100), Err(PictureError::Budget { tokens: 100 }));
        for budget in Budget::ALL {
            for (width, height) in [(1, 1), (20_000, 20_000), (7, 3000), (u32::MAX, 1), (u32::MAX, u32::MAX)]
            {
                let tokens = image_tokens(width, height, budget).expect("a size");
                assert!((1..=budget.tokens()).contains(&tokens), "{width}×{height}: {tokens}");
            }
        }
    }
}
