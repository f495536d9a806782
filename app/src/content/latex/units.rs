//! Numbers and units, as siunitx writes them.

use super::cursor::{Cursor, Token};

/// Prefixes and units by their names.
const UNITS: &str = "yocto y zepto z atto a femto f pico p nano n micro µ milli m centi c deci d deca da hecto h kilo k mega M giga G \
    tera T peta P exa E zetta Z yotta Y metre m meter m gram g kilogram kg second s ampere A kelvin K mole mol candela cd hertz Hz \
    newton N pascal Pa joule J watt W coulomb C volt V farad F ohm Ω siemens S weber Wb tesla T henry H celsius °C \
    degreeCelsius °C lumen lm lux lx becquerel Bq gray Gy sievert Sv katal kat minute min hour h day d hectare ha litre L liter L \
    tonne t electronvolt eV dalton Da atomicmassunit u bel B decibel dB neper Np radian rad steradian sr bar bar degree ° \
    arcminute ′ arcsecond ″ percent % angstrom Å astronomicalunit au parsec pc lightyear ly bit bit byte B year a \
    km km cm cm mm mm nm nm um µm kg kg g g mg mg ms ms s s A A mA mA V V mV mV kV kV W W kW kW MW MW J J kJ kJ eV eV keV keV MeV MeV \
    GeV GeV K K mol mol Hz Hz kHz kHz MHz MHz GHz GHz N N kN kN Pa Pa kPa kPa MPa MPa bar bar L L mL mL l l ml ml C C F F T T \
    m m h h dB dB mmHg mmHg";

/// The sign of a unit or of a prefix; `None` if nobody knows it.
fn sign(name: &str) -> Option<&'static str> {
    let mut words = UNITS.split_whitespace();
    while let (Some(known), Some(sign)) = (words.next(), words.next()) {
        if known == name {
            return Some(sign);
        }
    }
    None
}

/// Returns a number: `1.5e-3`, `2 \pm 0.1`, `3x4`.
pub(super) fn number(source: &str) -> String {
    let source = source.trim();
    let (mantissa, exponent) = match source.find(['e', 'E', 'd']) {
        Some(at) if source[at + 1..].starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+') => {
            (&source[..at], Some(source[at + 1..].trim_start_matches('+')))
        }
        _ => (source, None),
    };
    let mantissa = mantissa.replace("+-", "\\pm ").replace('x', "\\times ");
    match exponent {
        Some(exponent) if mantissa.trim().is_empty() => format!("10^{{{exponent}}}"),
        Some(exponent) => format!("{mantissa}\\times 10^{{{exponent}}}"),
        None => mantissa,
    }
}

/// Units by their commands (`\kilo\metre\per\second\squared`) or their signs (`m/s^2`, `kg.m`).
pub(super) fn unit(source: &str) -> String {
    let mut cursor = Cursor::new(source.trim());
    let mut written = String::new();
    // What the next unit gets, and whether one stands just before.
    let (mut power, mut below, mut beside) = (None::<String>, false, false);
    while let Some(token) = cursor.next() {
        match token {
            Token::Command("per") => below = true,
            Token::Command("squared") => raise(&mut written, "2"),
            Token::Command("cubed") => raise(&mut written, "3"),
            Token::Command("tothe") | Token::Character('^') => {
                raise(&mut written, cursor.argument().unwrap_or_default());
            }
            Token::Command("square") => power = Some("2".to_owned()),
            Token::Command("cubic") => power = Some("3".to_owned()),
            Token::Command("raiseto") => power = cursor.argument().map(str::to_owned),
            Token::Command("cdot" | "times") | Token::Character('.' | '*' | '~' | '⋅' | '·') => {
                written.push_str("\\,");
                beside = false;
            }
            Token::Command("of") => {
                written.push_str(&format!("_{{\\text{{{}}}}}", cursor.argument().unwrap_or_default()))
            }
            Token::Command(name) => {
                let Some(sign) = sign(name) else {
                    written.push_str(&format!("\\{name} "));
                    continue;
                };
                if beside {
                    written.push_str(if below { "/" } else { "\\," });
                } else if below {
                    written.push_str(if written.is_empty() { "1/" } else { "/" });
                }
                let prefix = PREFIXES.contains(&name);
                written.push_str(&format!("\\mathrm{{{}}}", sign.replace('%', "\\%")));
                (below, beside) = (false, !prefix);
                if !prefix && let Some(power) = power.take() {
                    raise(&mut written, &power);
                }
            }
            Token::Group(group) => written.push_str(&format!("{{{}}}", unit(group))),
            Token::Character('%') => written.push_str("\\%"),
            Token::Character(c) if c.is_whitespace() => written.push_str("\\,"),
            // `s-1`, `m2`
            Token::Character(c) if (c == '-' || c.is_ascii_digit()) && written.ends_with('}') => {
                let digits = cursor.rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(cursor.rest.len());
                let (power, rest) = cursor.rest.split_at(digits);
                cursor.rest = rest;
                raise(&mut written, &format!("{c}{power}"));
            }
            Token::Character(c) if c.is_alphabetic() => written.push_str(&format!("\\mathrm{{{c}}}")),
            Token::Character(c) => written.push(c),
        }
    }
    written
}

/// Prefixes, which stand close to their unit.
const PREFIXES: [&str; 20] = [
    "yocto", "zepto", "atto", "femto", "pico", "nano", "micro", "milli", "centi", "deci", "deca", "hecto",
    "kilo", "mega", "giga", "tera", "peta", "exa", "zetta", "yotta",
];

fn raise(written: &mut String, power: &str) {
    written.push_str(&format!("^{{{power}}}"));
}

/// Returns a number and its unit as text: `5 m/s^2`.
pub(super) fn literal(source: &str) -> String {
    let source = source.trim();
    let end = source
        .find(|c: char| c.is_whitespace() || (c.is_alphabetic() && c != 'e' && c != 'E'))
        .unwrap_or(source.len());
    let (value, rest) = source.split_at(end);
    if value.is_empty() {
        return unit(rest);
    }
    format!("{}\\,{}", number(value), unit(rest.trim_start()))
}
