//! Exact arithmetic with decimals and units: `0.1 + 0.2` is `0.3`. Numbers are fractions; a result without an end is rounded, and
//! says so.
//!
//! ```text
//! whole    = sum ["to" product] | ["-"] number SCALE "to" SCALE
//! sum      = product {("+" | "-") product}
//! product  = sign {("*" | "/" | "mod") sign}
//! sign     = ["-"] power
//! power    = atom ["^" sign]
//! atom     = (number {unit number} [unit] | unit | "(" sum ")" | NAME "(" sum {";" sum} ")") ["%"]
//! unit     = UNIT ["^" digits]
//! ```
//!
//! `in` is another word for `to`.

use super::ToolError;
use super::number::Number;
use super::units::{Quantity, Scale};

/// Most characters of an expression.
const LONGEST: usize = 2_000;
/// Most parentheses inside one another.
const DEEPEST: usize = 64;

/// Computes an expression.
pub fn calculate(expression: &str) -> Result<String, ToolError> {
    if expression.len() > LONGEST {
        return Err(ToolError::TooLarge);
    }
    let mut reader = Reader { text: expression.chars().collect(), at: 0, depth: 0, unit: None };
    if let Some((degrees, to)) = reader.temperature()? {
        return Ok(format!("{} {to}", degrees.written()?));
    }
    let result = reader.sum()?;
    if reader.keyword(&["to", "in"]) {
        let from = reader.at;
        let unit = reader.product()?;
        reader.end()?;
        let name: String = reader.text[from..].iter().filter(|c| !c.is_whitespace()).collect();
        let number = result.with(unit, |number, of| number.times(of.inverse()?))?.number;
        return Ok(format!("{} {name}", number.written()?));
    }
    reader.end()?;
    match reader.unit {
        // As the expression has it.
        Some((name, unit)) if unit.dimension == result.dimension => {
            let number = result.with(unit, |number, of| number.times(of.inverse()?))?.number;
            Ok(format!("{} {name}", number.written()?))
        }
        _ => result.written(),
    }
}

struct Reader {
    text: Vec<char>,
    at: usize,
    depth: usize,
    /// The first unit of the expression, with its name.
    unit: Option<(String, Quantity)>,
}

/// Whether a character belongs to a name: of a function, of a unit.
fn is_of_name(letter: char) -> bool {
    letter.is_alphabetic() || letter == '°'
}

impl Reader {
    fn syntax(&self) -> ToolError {
        let read = &self.text[..self.at.min(self.text.len())];
        ToolError::Syntax { character: read.iter().filter(|c| !is_blank(**c)).count() as u64 }
    }

    /// The next character that isn't blank. What is blank before it has been read then.
    fn next(&mut self) -> Option<char> {
        while self.text.get(self.at).copied().is_some_and(is_blank) {
            self.at += 1;
        }
        self.text.get(self.at).copied()
    }

    fn end(&mut self) -> Result<(), ToolError> {
        if self.next().is_none() { Ok(()) } else { Err(self.syntax()) }
    }

    /// Takes one of these characters, if it comes next.
    fn take(&mut self, of: &[char]) -> Option<char> {
        let next = self.next().filter(|next| of.contains(next))?;
        self.at += 1;
        Some(next)
    }

    /// The name that comes next, which is not taken.
    fn name(&mut self) -> String {
        self.next();
        self.text[self.at..].iter().take_while(|c| is_of_name(**c)).collect()
    }

    /// Whether a name and a parenthesis come next.
    fn calls(&mut self) -> bool {
        let name = self.name();
        let behind = self.at + name.chars().count();
        self.text[behind..].iter().find(|c| !is_blank(**c)) == Some(&'(')
    }

    /// Takes one of these words, if it comes next.
    fn keyword(&mut self, of: &[&str]) -> bool {
        let name = self.name();
        let found = of.contains(&name.as_str());
        if found {
            self.at += name.chars().count();
        }
        found
    }

    fn sum(&mut self) -> Result<Quantity, ToolError> {
        let mut sum = self.product()?;
        while let Some(sign) = self.take(&['+', '-', '−']) {
            let term = self.product()?;
            sum = sum.with(term, |sum, term| sum.plus(if sign == '+' { term } else { term.negative()? }))?;
        }
        Ok(sum)
    }

    fn product(&mut self) -> Result<Quantity, ToolError> {
        let mut product = self.sign()?;
        loop {
            if self.take(&['*', '×', '·']).is_some() {
                product = product.times(self.sign()?)?;
            } else if self.take(&['/', '÷', ':']).is_some() {
                product = product.times(self.sign()?.inverse()?)?;
            } else if self.keyword(&["mod"]) {
                product = product.with(self.sign()?, |number, by| {
                    let times = Number::whole(number.times(by.inverse()?)?.floor());
                    number.plus(times.times(by)?.negative()?)
                })?;
            } else {
                return Ok(product);
            }
        }
    }

    fn sign(&mut self) -> Result<Quantity, ToolError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(ToolError::TooLarge);
        }
        let is_negative = self.take(&['-', '−']).is_some();
        let signed = if is_negative { self.sign()?.map(Number::negative)? } else { self.power()? };
        self.depth -= 1;
        Ok(signed)
    }

    fn power(&mut self) -> Result<Quantity, ToolError> {
        let base = self.atom()?;
        if self.take(&['^']).is_none() {
            return Ok(base);
        }
        let exponent = self.sign()?.plain()?;
        if exponent.under != 1 {
            return Err(ToolError::Undefined);
        }
        base.power(exponent.over)
    }

    fn atom(&mut self) -> Result<Quantity, ToolError> {
        let mut value = match self.next() {
            Some('(') => {
                self.at += 1;
                let value = self.sum()?;
                self.take(&[')']).ok_or(self.syntax())?;
                value
            }
            // `min` is a function, too.
            Some(letter) if is_of_name(letter) && self.calls() => self.function()?,
            Some(letter) if is_of_name(letter) => self.unit()?.ok_or(self.syntax())?,
            _ => self.amount()?,
        };
        while self.take(&['%']).is_some() {
            value = value.map(|number| number.times(Number::new(1, 100)?))?;
        }
        Ok(value)
    }

    /// A number with or without a unit, or several with units that are one amount: `3 h 20 min`.
    fn amount(&mut self) -> Result<Quantity, ToolError> {
        let number = self.number()?.into();
        let Some(unit) = self.unit()? else { return Ok(number) };
        let mut amount = number.times(unit)?;
        while self.next().is_some_and(|next| next.is_ascii_digit()) {
            let number = Quantity::from(self.number()?);
            let unit = self.unit()?.ok_or(self.syntax())?;
            amount = amount.with(number.times(unit)?, Number::plus)?;
        }
        Ok(amount)
    }

    /// Takes a unit with its power, if one comes next.
    fn unit(&mut self) -> Result<Option<Quantity>, ToolError> {
        let name = self.name();
        let Some(unit) = Quantity::unit(&name) else { return Ok(None) };
        self.at += name.chars().count();
        let power = match self.take(&['²', '³', '^']) {
            None => 1,
            Some('²') => 2,
            Some('³') => 3,
            Some(_) => {
                let sign = if self.take(&['-', '−']).is_some() { -1 } else { 1 };
                let power = self.number()?;
                if power.under == 1 { sign * power.over } else { return Err(ToolError::Undefined) }
            }
        };
        let powered = unit.power(power)?;
        let name = if power == 1 { name } else { format!("{name}^{power}") };
        self.unit.get_or_insert((name, powered));
        Ok(Some(powered))
    }

    /// Takes a temperature that is to be converted, which nothing can be computed with: two times 20 °C isn't 40 °C. Returns it
    /// with its new unit, or `None`, with nothing taken.
    fn temperature(&mut self) -> Result<Option<(Number, String)>, ToolError> {
        let is_negative = self.take(&['-', '−']).is_some();
        let taken = (|| {
            let degrees = self.number().ok()?;
            let from = self.scale()?;
            let to = self.keyword(&["to", "in"]).then(|| self.name())?;
            Some((degrees, from, self.scale()?, to))
        })();
        let Some((degrees, from, scale, to)) = taken.filter(|_| self.next().is_none()) else {
            self.at = 0;
            return Ok(None);
        };
        let degrees = if is_negative { degrees.negative()? } else { degrees };
        Ok(Some((from.convert(degrees, scale)?, to)))
    }

    /// Takes a scale of temperatures, if one comes next.
    fn scale(&mut self) -> Option<Scale> {
        let name = self.name();
        let scale = Scale::named(&name)?;
        self.at += name.chars().count();
        Some(scale)
    }

    fn function(&mut self) -> Result<Quantity, ToolError> {
        let begins = self.at;
        let name = self.name();
        self.at += name.chars().count();
        self.take(&['(']).ok_or(self.syntax())?;
        let first = self.sum()?;
        let mut others = Vec::new();
        while self.take(&[';', ',']).is_some() {
            others.push(self.sum()?);
        }
        self.take(&[')']).ok_or(self.syntax())?;
        match (name.as_str(), others.as_slice()) {
            ("abs", []) => first.map(|number| if number.over < 0 { number.negative() } else { Ok(number) }),
            ("floor", []) => Ok(Number::whole(first.plain()?.floor()).into()),
            ("ceil", []) => Ok(Number::whole(first.plain()?.negative()?.floor()).negative()?.into()),
            ("round", []) => Ok(first.plain()?.rounded(0)?.into()),
            ("round", [digits]) => {
                let digits = digits.plain()?;
                let whole = u32::try_from(digits.over).ok().filter(|_| digits.under == 1);
                Ok(first.plain()?.rounded(whole.ok_or(ToolError::Undefined)?)?.into())
            }
            ("sqrt", []) => first.root(),
            ("min" | "max", others) => {
                let mut found = first;
                for &other in others {
                    let difference = other.with(found, |other, found| other.plus(found.negative()?))?;
                    if (difference.number.over < 0) == (name == "min") {
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

/// Whether a character only separates.
fn is_blank(letter: char) -> bool {
    letter.is_whitespace() || letter == '_'
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
    fn units_are_exact() {
        for (expression, result) in [
            ("5 km to miles", "≈ 3.10685596118667 miles"),
            ("1 mile in m", "1609.344 m"),
            ("100 km/h to m/s", "≈ 27.777777777777778 m/s"),
            ("3 h 20 min to s", "12000 s"),
            ("3 h 20 min + 40 min", "4 h"),
            ("5 ft 11 inches to cm", "180.34 cm"),
            ("60 km / (30 min)", "≈ 33.333333333333333 m/s"),
            ("60 km / 30 min to km/h", "120 km/h"),
            ("2 m * 3 m", "6 m^2"),
            ("6 m² to cm^2", "60000 cm^2"),
            ("sqrt(16 m^2)", "4 m"),
            ("1 GiB to MB", "1073.741824 MB"),
            ("700 MB / (50 Mbit/s) to min", "≈ 1.866666666666667 min"),
            ("max(1 kg, 2 lb) to g", "1000 g"),
            ("10 kg + 5%", "err"),
            ("2 kWh / 4 h to W", "500 W"),
            ("1 cup to ml", "236.5882365 ml"),
            ("20 °C to °F", "68 °F"),
            ("-40 F in C", "-40 C"),
            ("0 K to °C", "-273.15 °C"),
            ("10 KILOMETERS to m", "10000 m"),
            ("7 days mod 2 days", "1 days"),
            ("1 / (4 s)", "0.25 1/s"),
        ] {
            let expected = if result == "err" { Err(ToolError::Units) } else { Ok(result) };
            assert_eq!(calculate(expression).as_deref().map_err(Clone::clone), expected, "{expression}");
        }
    }

    #[test]
    fn what_cannot_be_computed_says_why() {
        for (expression, error) in [
            ("5 km to kg", ToolError::Units),
            ("5 km + 3", ToolError::Units),
            ("2 ^ (3 m)", ToolError::Units),
            ("sqrt(2 m)", ToolError::Units),
            ("5 smoots", ToolError::Syntax { character: 1 }),
            ("5 km to", ToolError::Syntax { character: 5 }),
            ("5 km to 0 m", ToolError::DivisionByZero),
            ("2 * 20 °C", ToolError::Syntax { character: 4 }),
            ("-1 K to °C", ToolError::Undefined),
            ("1 m^200", ToolError::TooLarge),
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
