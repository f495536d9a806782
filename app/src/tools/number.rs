//! Fractions, and how they are written as decimals.

use super::ToolError;

/// Digits behind the point of a number without an end.
const DIGITS: u32 = 15;

/// A fraction in lowest terms; the denominator is positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    pub over: i128,
    pub under: i128,
}

impl Number {
    /// Returns a fraction in lowest terms.
    pub fn new(over: i128, under: i128) -> Result<Self, ToolError> {
        if under == 0 {
            return Err(ToolError::DivisionByZero);
        }
        let (mut a, mut b) = (over.unsigned_abs(), under.unsigned_abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let divisor = i128::try_from(a).map_err(|_| ToolError::TooLarge)?;
        let (over, under) = (over / divisor, under / divisor);
        let sign = if under < 0 { -1 } else { 1 };
        match (over.checked_mul(sign), under.checked_mul(sign)) {
            (Some(over), Some(under)) => Ok(Self { over, under }),
            _ => Err(ToolError::TooLarge),
        }
    }

    /// Returns a whole number.
    pub const fn whole(over: i128) -> Self {
        Self { over, under: 1 }
    }

    /// Returns the number with the other sign.
    pub fn negative(self) -> Result<Self, ToolError> {
        let over = self.over.checked_neg().ok_or(ToolError::TooLarge)?;
        Ok(Self { over, ..self })
    }

    /// Returns one over the number.
    pub fn inverse(self) -> Result<Self, ToolError> {
        Self::new(self.under, self.over)
    }

    /// Returns the sum.
    pub fn plus(self, other: Self) -> Result<Self, ToolError> {
        let product = |a: i128, b: i128| a.checked_mul(b).ok_or(ToolError::TooLarge);
        let over = product(self.over, other.under)?.checked_add(product(other.over, self.under)?);
        Self::new(over.ok_or(ToolError::TooLarge)?, product(self.under, other.under)?)
    }

    /// Returns the product.
    pub fn times(self, other: Self) -> Result<Self, ToolError> {
        // Crosswise first, so that fewer products are too large.
        let (a, b) = (Self::new(self.over, other.under)?, Self::new(other.over, self.under)?);
        match (a.over.checked_mul(b.over), a.under.checked_mul(b.under)) {
            (Some(over), Some(under)) => Self::new(over, under),
            _ => Err(ToolError::TooLarge),
        }
    }

    /// Returns the largest whole number that is not above it.
    pub fn floor(self) -> i128 {
        self.over.div_euclid(self.under)
    }

    /// Rounds to so many digits, half away from zero.
    pub fn rounded(self, digits: u32) -> Result<Self, ToolError> {
        let scale = 10_i128.checked_pow(digits).ok_or(ToolError::TooLarge)?;
        let scaled = self.times(Self::whole(scale))?;
        let half = Self::new(if scaled.over < 0 { -1 } else { 1 }, 2)?;
        let moved = scaled.plus(half)?;
        // Division cuts off towards zero.
        Self::new(moved.over / moved.under, scale)
    }

    /// Returns the root, exact or with [`DIGITS`] digits.
    pub fn root(self) -> Result<Self, ToolError> {
        let exact = |value: i128| Some(value.isqrt()).filter(|root| root * root == value);
        if self.over < 0 {
            return Err(ToolError::Undefined);
        }
        match (exact(self.over), exact(self.under)) {
            (Some(over), Some(under)) => Self::new(over, under),
            _ => {
                let scale = 10_i128.pow(DIGITS);
                let scaled = self.times(Self::whole(scale))?.times(Self::whole(scale))?;
                // One more than a denominator of tens, so that it is not taken for exact.
                Self::new(scaled.floor().isqrt() * 3 + 1, scale * 3)
            }
        }
    }

    /// Returns the number in decimals; rounded, with `≈`, if they have no end.
    pub fn written(self) -> Result<String, ToolError> {
        let mut rest = self.under;
        let mut digits = 0;
        for prime in [2, 5] {
            let mut count = 0;
            while rest % prime == 0 {
                (rest, count) = (rest / prime, count + 1);
            }
            digits = digits.max(count);
        }
        let is_exact = rest == 1 && digits <= 30;
        let digits = if is_exact { digits } else { DIGITS };
        let shown = if is_exact { self } else { self.rounded(digits)? };
        let scaled = shown.times(Self::whole(10_i128.pow(digits)))?.over;
        let text = format!("{:0>width$}", scaled.unsigned_abs(), width = digits as usize + 1);
        let (whole, behind) = text.split_at(text.len() - digits as usize);
        let behind = behind.trim_end_matches('0');
        let point = if behind.is_empty() { "" } else { "." };
        let sign = if scaled < 0 { "-" } else { "" };
        Ok(format!("{}{sign}{whole}{point}{behind}", if is_exact { "" } else { "≈ " }))
    }
}
