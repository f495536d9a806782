//! How many tokens a picture may take: when nobody has said it, and in a model that cannot read as many.

use engine::vision::{Budget, Picture, PictureError};

/// Pixels along a row that differ by more than this in brightness, of 255, are an edge.
const EDGE: i32 = 40;
/// Above this share of edges a picture is full of small detail: text, drawings, tables.
const DETAILED: f64 = 0.06;
/// Pixels that one soft token shows.
const TOKEN_PIXELS: u64 = 48 * 48;

/// The largest budget up to `wanted` whose pictures have no more than `most` tokens.
pub fn within(wanted: Budget, most: u32) -> Budget {
    let fits = |budget: &Budget| *budget <= wanted && budget.tokens() <= most;
    Budget::ALL.into_iter().rev().find(fits).unwrap_or(Budget::ALL[0])
}

/// The usual budget; or a larger one, as far as the picture has pixels for it, where it is full of small detail.
pub fn automatic(picture: &Picture) -> Result<Budget, PictureError> {
    let usual = Budget::default();
    let (width, height) = picture.size();
    let natural = u64::from(width) * u64::from(height) / TOKEN_PIXELS;
    // The smallest budget that shows the picture in its own size, or the largest.
    let own = Budget::ALL.into_iter().find(|budget| u64::from(budget.tokens()) >= natural);
    let own = own.unwrap_or(Budget::MAX);
    if own <= usual {
        return Ok(usual);
    }
    let pixels = picture.resized(own)?;
    Ok(if edges(&pixels.rgb, pixels.size.width as usize) > DETAILED { own } else { usual })
}

/// The share of neighbours along rows that differ much.
fn edges(rgb: &[u8], width: usize) -> f64 {
    let (pixels, _) = rgb.as_chunks::<3>();
    let mut edges = 0_u64;
    let mut pairs = 0_u64;
    for row in pixels.chunks_exact(width.max(1)) {
        for pair in row.windows(2) {
            let bright = |[r, g, b]: [u8; 3]| (i32::from(r) * 2 + i32::from(g) * 5 + i32::from(b)) / 8;
            edges += u64::from((bright(pair[0]) - bright(pair[1])).abs() > EDGE);
            pairs += 1;
        }
    }
    if pairs == 0 { 0.0 } else { edges as f64 / pairs as f64 }
}

#[cfg(test)]
mod tests {
    use engine::vision::Budget;

    use super::{edges, within};

    #[test]
    fn a_budget_is_cut_to_what_the_model_reads() {
        let budget = |tokens| Budget::new(tokens).expect("a budget");
        assert_eq!(within(budget(1120), 288), budget(280));
        assert_eq!(within(budget(1120), 512), budget(280));
        assert_eq!(within(budget(560), 1120), budget(560));
        assert_eq!(within(budget(140), 288), budget(140));
        assert_eq!(within(budget(280), 1), budget(70));
    }

    #[test]
    fn stripes_are_detail_and_a_slope_is_none() {
        let stripes: Vec<u8> = (0..64).flat_map(|x| [if x % 4 < 2 { 0 } else { 255 }; 3]).collect();
        assert!(edges(&stripes, 64) > 0.4);
        let slope: Vec<u8> = (0..64).flat_map(|x| [x * 4; 3]).collect();
        assert_eq!(edges(&slope, 64), 0.0);
        assert_eq!(edges(&[], 0), 0.0);
    }
}
