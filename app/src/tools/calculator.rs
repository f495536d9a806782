//! Exact arithmetic with decimals: `0.1 + 0.2` is `0.3`. Numbers are fractions; a result without an end is rounded, and says so.
//!
//! ```text
//! sum     = product {("+" | "-") product}
//! product = sign {("*" | "/" | "mod") sign}
//! sign    = ["-"] power
//! power   = atom ["^" sign]
//! atom    = (number | "(" sum ")" | NAME "(" sum {";" sum} ")") ["%"]
//! ```

use super::ToolError;

/// Most characters of an expression.
const LONGEST: usize = 2_000;
/// Most parentheses inside one another.
const DEEPEST: usize = 64;
/// Digits behind the point of a result without an end.
const DIGITS: u32 = 15;

/// A fraction in lowest terms; the denominator is positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Number {
    over: i128,
    under: i128,
}

/// Computes an expression.
pub fn calculate(expression: &str) -> Result<String, ToolError> {
    if expression.len() > LONGEST {
        return Err(ToolError::TooLarge);
    }
    let text: Vec<char> = expression.chars().filter(|c| !c.is_whitespace() && *c != '_').collect();
    let mut reader = Reader { text, at: 0, depth: 0 };
    let result = reader.sum()?;
    if reader.at < reader.text.len() { Err(reader.syntax()) } else { result.written() }
}

struct Reader {
    text: Vec<char>,
    at: usize,
    depth: usize,
}

impl Reader {
    fn syntax(&self) -> ToolError {
        ToolError::Syntax { character: self.at as u64 }
    }

    fn next(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    /// Takes one of these characters, if it comes next.
    fn take(&mut self, of: &[char]) -> Option<char> {
        let next = self.next().filter(|next| of.contains(next))?;
        self.at += 1;
        Some(next)
    }

    fn word(&mut self) -> String {
        let rest = &self.text[self.at..];
        let word: String = rest.iter().take_while(|c| c.is_ascii_alphabetic()).collect();
        self.at += word.len();
        word
    }

    fn sum(&mut self) -> Result<Number, ToolError> {
        let mut sum = self.product()?;
        while let Some(sign) = self.take(&['+', '-', '−']) {
            let term = self.product()?;
            sum = sum.plus(if sign == '+' { term } else { term.negative()? })?;
        }
        Ok(sum)
    }

    fn product(&mut self) -> Result<Number, ToolError> {
        let mut product = self.sign()?;
        loop {
            if self.take(&['*', '×', '·']).is_some() {
                product = product.times(self.sign()?)?;
            } else if self.take(&['/', '÷', ':']).is_some() {
                product = product.times(self.sign()?.inverse()?)?;
            } else if self.text[self.at..].starts_with(&['m', 'o', 'd']) {
                self.at += 3;
                let by = self.sign()?;
                let times = Number::whole(product.times(by.inverse()?)?.floor());
                product = product.plus(times.times(by)?.negative()?)?;
            } else {
                return Ok(product);
            }
        }
    }

    fn sign(&mut self) -> Result<Number, ToolError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(ToolError::TooLarge);
        }
        let signed =
            if self.take(&['-', '−']).is_some() { self.sign()?.negative()? } else { self.power()? };
        self.depth -= 1;
        Ok(signed)
    }

    fn power(&mut self) -> Result<Number, ToolError> {
        let base = self.atom()?;
        if self.take(&['^']).is_none() {
            return Ok(base);
        }
        let exponent = self.sign()?;
        if exponent.under != 1 {
            return Err(ToolError::Undefined);
        }
        let base = if exponent.over < 0 { base.inverse()? } else { base };
        let times = u32::try_from(exponent.over.unsigned_abs()).map_err(|_| ToolError::TooLarge)?;
        let power = |value: i128| value.checked_pow(times).ok_or(ToolError::TooLarge);
        Number::new(power(base.over)?, power(base.under)?)
    }

    fn atom(&mut self) -> Result<Number, ToolError> {
        let mut value = match self.next() {
            Some('(') => {
                self.at += 1;
                let value = self.sum()?;
                self.take(&[')']).ok_or(self.syntax())?;
                value
            }
            Some(letter) if letter.is_ascii_alphabetic() => self.function()?,
            _ => self.number()?,
        };
        while self.take(&['%']).is_some() {
            value = value.times(Number::new(1, 100)?)?;
        }
        Ok(value)
    }

    fn function(&mut self) -> Result<Number, ToolError> {
        let begins = self.at;
        let name = self.word();
        self.take(&['(']).ok_or(self.syntax())?;
        let first = self.sum()?;
        let mut others = Vec::new();
        while self.take(&[';', ',']).is_some() {
            others.push(self.sum()?);
        }
        self.take(&[')']).ok_or(self.syntax())?;
        match (name.as_str(), others.as_slice()) {
            ("abs", []) => {
                if first.over < 0 {
                    first.negative()
                } else {
                    Ok(first)
                }
            }
            ("floor", []) => Ok(Number::whole(first.floor())),
            ("ceil", []) => Number::whole(first.negative()?.floor()).negative(),
            ("round", []) => first.rounded(0),
            ("round", [Number { over, under: 1 }]) => {
                first.rounded(u32::try_from(*over).map_err(|_| ToolError::Undefined)?)
            }
            ("sqrt", []) => first.root(),
            ("min" | "max", others) => {
                let mut found = first;
                for &other in others {
                    let is_less = other.plus(found.negative()?)?.over < 0;
                    if is_less == (name == "min") {
                        found = other;
                    }
                }
                Ok(found)
            }
            _ => {
                self.at = begins;
                Err(self.syntax())
            }
        }
    }

    fn number(&mut self) -> Result<Number, ToolError> {
        let (mut value, mut under, mut digits, mut is_behind) = (0_i128, 1_i128, 0, false);
        while let Some(next) = self.next() {
            match next.to_digit(10) {
                Some(digit) => {
                    let shifted = value.checked_mul(10).and_then(|it| it.checked_add(digit.into()));
                    value = shifted.ok_or(ToolError::TooLarge)?;
                    under = if is_behind { under.checked_mul(10).ok_or(ToolError::TooLarge)? } else { under };
                    digits += 1;
                }
                None if next == '.' && !is_behind => is_behind = true,
                None => break,
            }
            self.at += 1;
        }
        if digits == 0 { Err(self.syntax()) } else { Number::new(value, under) }
    }
}

impl Number {
    fn new(over: i128, under: i128) -> Result<Self, ToolError> {
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

    const fn whole(over: i128) -> Self {
        Self { over, under: 1 }
    }

    fn negative(self) -> Result<Self, ToolError> {
        let over = self.over.checked_neg().ok_or(ToolError::TooLarge)?;
        Ok(Self { over, ..self })
    }

    fn inverse(self) -> Result<Self, ToolError> {
        Self::new(self.under, self.over)
    }

    fn plus(self, other: Self) -> Result<Self, ToolError> {
        let product = |a: i128, b: i128| a.checked_mul(b).ok_or(ToolError::TooLarge);
        let over = product(self.over, other.under)?.checked_add(product(other.over, self.under)?);
        Self::new(over.ok_or(ToolError::TooLarge)?, product(self.under, other.under)?)
    }

    fn times(self, other: Self) -> Result<Self, ToolError> {
        // Crosswise first, so that fewer products are too large.
        let (a, b) = (Self::new(self.over, other.under)?, Self::new(other.over, self.under)?);
        match (a.over.checked_mul(b.over), a.under.checked_mul(b.under)) {
            (Some(over), Some(under)) => Self::new(over, under),
            _ => Err(ToolError::TooLarge),
        }
    }

    fn floor(self) -> i128 {
        self.over.div_euclid(self.under)
    }

    /// Rounds half away from zero.
    fn rounded(self, digits: u32) -> Result<Self, ToolError> {
        let scale = 10_i128.checked_pow(digits).ok_or(ToolError::TooLarge)?;
        let scaled = self.times(Self::whole(scale))?;
        let half = Self::new(if scaled.over < 0 { -1 } else { 1 }, 2)?;
        let moved = scaled.plus(half)?;
        // Division cuts off towards zero.
        Self::new(moved.over / moved.under, scale)
    }

    /// The root, exact or with [`DIGITS`] digits.
    fn root(self) -> Result<Self, ToolError> {
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

    /// The number in decimals; rounded, with `≈`, if they have no end.
    fn written(self) -> Result<String, ToolError> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact() {
        for (expression, result) in [
            ("0.1 + 0.2", "0.3"),
            ("1.10 * 3", "3.3"),
            ("2 + 3 * 4 ^ 2 / -8", "-4"),
            ("-2 ^ 2", "-4"),
            ("2 ^ -3", "0.125"),
            ("(1 - 0.9) × 10", "1"),
            ("1 / 3", "≈ 0.333333333333333"),
            ("-2 / 3", "≈ -0.666666666666667"),
            ("19% + 1", "1.19"),
            ("-7 mod 3", "2"),
            ("round(2.345; 2) + floor(-1.5) + ceil(1.2)", "2.35"),
            ("max(1, 5/2, 2) - min(3; -4)", "6.5"),
            ("sqrt(2.25)", "1.5"),
            ("sqrt(2)", "≈ 1.414213562373095"),
            ("1_000_000 * 1000000", "1000000000000"),
            ("0.000000000001 * 2", "0.000000000002"),
        ] {
            assert_eq!(calculate(expression).as_deref(), Ok(result), "{expression}");
        }
    }

    #[test]
    fn what_cannot_be_computed_says_why() {
        for (expression, error) in [
            ("1 / (2 - 2)", ToolError::DivisionByZero),
            ("2 +", ToolError::Syntax { character: 2 }),
            ("2 3 )", ToolError::Syntax { character: 2 }),
            ("alert(1)", ToolError::Syntax { character: 0 }),
            ("", ToolError::Syntax { character: 0 }),
            ("9 ^ 99", ToolError::TooLarge),
            ("sqrt(-1)", ToolError::Undefined),
            ("2 ^ 0.5", ToolError::Undefined),
        ] {
            assert_eq!(calculate(expression), Err(error), "{expression}");
        }
        assert_eq!(calculate(&"(".repeat(500)), Err(ToolError::TooLarge));
        assert_eq!(calculate(&"-".repeat(500)), Err(ToolError::TooLarge));
        assert_eq!(calculate(&"1".repeat(3_000)), Err(ToolError::TooLarge));
    }
}
