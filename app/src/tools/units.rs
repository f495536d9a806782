//! Units of measurement: what they measure, and by which exact factor they differ from the base units. Factors are those of NIST
//! Handbook 44, appendix C; gallons and the like are those of the United States.

use super::ToolError;
use super::number::Number;

/// The powers of the base units: metre, kilogram, second, byte.
pub type Dimension = [i8; 4];

const NONE: Dimension = [0; 4];
const LENGTH: Dimension = [1, 0, 0, 0];
const AREA: Dimension = [2, 0, 0, 0];
const VOLUME: Dimension = [3, 0, 0, 0];
const SPEED: Dimension = [1, 0, -1, 0];
const MASS: Dimension = [0, 1, 0, 0];
const TIME: Dimension = [0, 0, 1, 0];
const FORCE: Dimension = [1, 1, -2, 0];
const PRESSURE: Dimension = [-1, 1, -2, 0];
const ENERGY: Dimension = [2, 1, -2, 0];
const POWER: Dimension = [2, 1, -3, 0];
const DATA: Dimension = [0, 0, 0, 1];

/// Names of a unit, its factor as a fraction, and what it measures.
type Unit = (&'static [&'static str], (i128, i128), Dimension);

const UNITS: &[Unit] = &[
    (&["m", "meter", "meters", "metre", "metres"], (1, 1), LENGTH),
    (&["km", "kilometer", "kilometers", "kilometre", "kilometres"], (1_000, 1), LENGTH),
    (&["dm"], (1, 10), LENGTH),
    (&["cm", "centimeter", "centimeters", "centimetre", "centimetres"], (1, 100), LENGTH),
    (&["mm", "millimeter", "millimeters", "millimetre", "millimetres"], (1, 1_000), LENGTH),
    (&["µm", "μm", "um"], (1, 1_000_000), LENGTH),
    (&["nm"], (1, 1_000_000_000), LENGTH),
    (&["inch", "inches"], (254, 10_000), LENGTH),
    (&["ft", "foot", "feet"], (3_048, 10_000), LENGTH),
    (&["yd", "yard", "yards"], (9_144, 10_000), LENGTH),
    (&["mi", "mile", "miles"], (1_609_344, 1_000), LENGTH),
    (&["nmi"], (1_852, 1), LENGTH),
    (&["ha", "hectare", "hectares"], (10_000, 1), AREA),
    (&["acre", "acres"], (40_468_564_224, 10_000_000), AREA),
    (&["l", "L", "liter", "liters", "litre", "litres"], (1, 1_000), VOLUME),
    (&["dl", "dL"], (1, 10_000), VOLUME),
    (&["cl", "cL"], (1, 100_000), VOLUME),
    (&["ml", "mL"], (1, 1_000_000), VOLUME),
    (&["gal", "gallon", "gallons"], (3_785_411_784, 1_000_000_000_000), VOLUME),
    (&["qt", "quart", "quarts"], (946_352_946, 1_000_000_000_000), VOLUME),
    (&["pt", "pint", "pints"], (473_176_473, 1_000_000_000_000), VOLUME),
    (&["cup", "cups"], (2_365_882_365, 10_000_000_000_000), VOLUME),
    (&["tbsp", "tablespoon", "tablespoons"], (1_478_676_478_125, 100_000_000_000_000_000), VOLUME),
    (&["tsp", "teaspoon", "teaspoons"], (492_892_159_375, 100_000_000_000_000_000), VOLUME),
    (&["kmh", "kph"], (1_000, 3_600), SPEED),
    (&["mph"], (1_609_344, 3_600_000), SPEED),
    (&["kn", "knot", "knots"], (1_852, 3_600), SPEED),
    (&["kg", "kilogram", "kilograms"], (1, 1), MASS),
    (&["g", "gram", "grams"], (1, 1_000), MASS),
    (&["mg", "milligram", "milligrams"], (1, 1_000_000), MASS),
    (&["µg", "μg", "ug"], (1, 1_000_000_000), MASS),
    (&["t", "tonne", "tonnes"], (1_000, 1), MASS),
    (&["lb", "lbs", "pound", "pounds"], (45_359_237, 100_000_000), MASS),
    (&["oz", "ounce", "ounces"], (45_359_237, 1_600_000_000), MASS),
    (&["st", "stone"], (635_029_318, 100_000_000), MASS),
    (&["s", "sec", "second", "seconds"], (1, 1), TIME),
    (&["ms", "millisecond", "milliseconds"], (1, 1_000), TIME),
    (&["min", "minute", "minutes"], (60, 1), TIME),
    (&["h", "hr", "hour", "hours"], (3_600, 1), TIME),
    (&["d", "day", "days"], (86_400, 1), TIME),
    (&["week", "weeks"], (604_800, 1), TIME),
    (&["N"], (1, 1), FORCE),
    (&["Pa"], (1, 1), PRESSURE),
    (&["hPa", "mbar"], (100, 1), PRESSURE),
    (&["kPa"], (1_000, 1), PRESSURE),
    (&["bar"], (100_000, 1), PRESSURE),
    (&["J"], (1, 1), ENERGY),
    (&["kJ"], (1_000, 1), ENERGY),
    (&["cal"], (4_184, 1_000), ENERGY),
    (&["kcal"], (4_184, 1), ENERGY),
    (&["Wh"], (3_600, 1), ENERGY),
    (&["kWh"], (3_600_000, 1), ENERGY),
    (&["W", "watt", "watts"], (1, 1), POWER),
    (&["kW"], (1_000, 1), POWER),
    (&["bit", "bits"], (1, 8), DATA),
    (&["kbit"], (1_000, 8), DATA),
    (&["Mbit"], (1_000_000, 8), DATA),
    (&["Gbit"], (1_000_000_000, 8), DATA),
    (&["B", "byte", "bytes"], (1, 1), DATA),
    (&["kB", "KB"], (1_000, 1), DATA),
    (&["MB"], (1_000_000, 1), DATA),
    (&["GB"], (1_000_000_000, 1), DATA),
    (&["TB"], (1_000_000_000_000, 1), DATA),
    (&["KiB"], (1 << 10, 1), DATA),
    (&["MiB"], (1 << 20, 1), DATA),
    (&["GiB"], (1 << 30, 1), DATA),
    (&["TiB"], (1 << 40, 1), DATA),
];

/// A number of some unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantity {
    /// In base units.
    pub number: Number,
    pub dimension: Dimension,
}

impl From<Number> for Quantity {
    fn from(number: Number) -> Self {
        Self { number, dimension: NONE }
    }
}

impl Quantity {
    /// Returns one of a unit; `None` if there is no unit of that name. Words are the same in capitals, symbols are not.
    #[must_use]
    pub fn unit(name: &str) -> Option<Self> {
        let small = name.to_lowercase();
        let of = |name: &str| UNITS.iter().find(|unit| unit.0.contains(&name));
        let (_, (over, under), dimension) = of(name).or_else(|| of(&small).filter(|_| small.len() > 3))?;
        Some(Self { number: Number::new(*over, *under).ok()?, dimension: *dimension })
    }

    /// Returns the number.
    ///
    /// # Errors
    /// If it has a unit.
    pub fn plain(self) -> Result<Number, ToolError> {
        if self.dimension == NONE { Ok(self.number) } else { Err(ToolError::Units) }
    }

    /// Returns it with a number that was computed from its own and that of another of the same dimension.
    ///
    /// # Errors
    /// If it is of another dimension, or there is no such number.
    pub fn with(
        self,
        other: Self,
        compute: impl FnOnce(Number, Number) -> Result<Number, ToolError>,
    ) -> Result<Self, ToolError> {
        if self.dimension != other.dimension {
            return Err(ToolError::Units);
        }
        Ok(Self { number: compute(self.number, other.number)?, ..self })
    }

    /// Returns it with another number.
    pub fn map(self, compute: impl FnOnce(Number) -> Result<Number, ToolError>) -> Result<Self, ToolError> {
        Ok(Self { number: compute(self.number)?, ..self })
    }

    /// Returns the product.
    pub fn times(self, other: Self) -> Result<Self, ToolError> {
        let mut dimension = self.dimension;
        for (own, other) in dimension.iter_mut().zip(other.dimension) {
            *own = own.checked_add(other).ok_or(ToolError::TooLarge)?;
        }
        Ok(Self { number: self.number.times(other.number)?, dimension })
    }

    /// Returns one over it.
    pub fn inverse(self) -> Result<Self, ToolError> {
        Ok(Self { number: self.number.inverse()?, dimension: self.dimension.map(|power| -power) })
    }

    /// Returns a whole power of it.
    pub fn power(self, exponent: i128) -> Result<Self, ToolError> {
        let times = u32::try_from(exponent.unsigned_abs()).map_err(|_| ToolError::TooLarge)?;
        let base = if exponent < 0 { self.inverse()? } else { self };
        let power = |value: i128| value.checked_pow(times).ok_or(ToolError::TooLarge);
        let mut dimension = NONE;
        if base.dimension != NONE {
            let times = i8::try_from(times).map_err(|_| ToolError::TooLarge)?;
            for (power, own) in dimension.iter_mut().zip(base.dimension) {
                *power = own.checked_mul(times).ok_or(ToolError::TooLarge)?;
            }
        }
        Ok(Self { number: Number::new(power(base.number.over)?, power(base.number.under)?)?, dimension })
    }

    /// Returns the root.
    pub fn root(self) -> Result<Self, ToolError> {
        if self.dimension.iter().any(|power| power % 2 != 0) {
            return Err(ToolError::Units);
        }
        Ok(Self { number: self.number.root()?, dimension: self.dimension.map(|power| power / 2) })
    }

    /// Returns it in base units, in words: `9.81 m/s^2`.
    pub fn written(self) -> Result<String, ToolError> {
        let named = |wanted: fn(i8) -> bool| {
            let named = ["m", "kg", "s", "B"].into_iter().zip(self.dimension);
            let named = named.filter(|(_, power)| wanted(*power)).map(|(name, power)| match power.abs() {
                1 => name.to_owned(),
                power => format!("{name}^{power}"),
            });
            named.collect::<Vec<_>>()
        };
        let (over, under) = (named(|power| power > 0).join("*"), named(|power| power < 0));
        let over = if over.is_empty() && !under.is_empty() { "1".to_owned() } else { over };
        let unit: String =
            std::iter::once(over).chain(under.into_iter().map(|it| format!("/{it}"))).collect();
        let number = self.number.written()?;
        Ok(if unit.is_empty() { number } else { format!("{number} {unit}") })
    }
}

/// A scale of temperatures: kelvins are `(degrees + offset) * over / under`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    offset: (i128, i128),
    degree: (i128, i128),
}

impl Scale {
    /// Returns the scale of a name such as `°C`; `None` if there is none.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "°C" | "C" | "celsius" | "Celsius" => Some(Self { offset: (27_315, 100), degree: (1, 1) }),
            "°F" | "F" | "fahrenheit" | "Fahrenheit" => Some(Self { offset: (45_967, 100), degree: (5, 9) }),
            "K" | "kelvin" | "Kelvin" => Some(Self { offset: (0, 1), degree: (1, 1) }),
            _ => None,
        }
    }

    /// Returns a temperature of this scale on another one.
    pub fn convert(self, degrees: Number, to: Self) -> Result<Number, ToolError> {
        let fraction = |(over, under)| Number::new(over, under);
        let kelvins = degrees.plus(fraction(self.offset)?)?.times(fraction(self.degree)?)?;
        if kelvins.over < 0 {
            return Err(ToolError::Undefined);
        }
        kelvins.times(fraction(to.degree)?.inverse()?)?.plus(fraction(to.offset)?.negative()?)
    }
}
