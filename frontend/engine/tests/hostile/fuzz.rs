//! A fuzzer: well-formed inputs are broken at random and given to a parser. It must not panic, and what it allocates is
//! bounded: a single allocation by [`LARGEST`] bytes for a byte of input, all together by [`PEAK`].
//!
//! Tests run [`CASES`] of them. `FUZZ_CASES=1000000 cargo test --release --test hostile` runs as many as are asked for, from number
//! FUZZ_FIRST on. A case follows from its number alone, so a failure can be repeated and a long run divided.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::counting::{Allocated, allocated};

/// Inputs of a usual run.
const CASES: u64 = 1_000;
/// Maximum size of a single allocation, in bytes for a byte of input.
const LARGEST: usize = 16;
/// Maximum of all that is allocated at the same time, in bytes for a byte of input.
const PEAK: usize = 64;
/// Bytes that may be allocated for an input of any length: errors, tables, buffers of a fixed size.
const FIXED: usize = 64 << 10;

/// Numbers at which arithmetic goes wrong.
const NUMBERS: [u64; 12] = [
    0,
    1,
    0x7f,
    0xff,
    0x7fff_ffff,
    0xffff_ffff,
    1 << 32,
    1 << 40,
    1 << 62,
    i64::MAX as u64,
    u64::MAX - 1,
    u64::MAX,
];

/// Texts at which parsers go wrong.
const TEXTS: [&str; 14] = [
    "\"",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "null",
    "-1",
    "1e999",
    "18446744073709551616",
    "\\u0000",
    "\r\n",
    "\u{feff}",
];

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`, or 0.
    fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { (self.next() % end as u64) as usize }
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

/// Feeds broken inputs to a parser, which says whether it takes them. It must take those that are not broken: otherwise
/// the broken ones wouldn't get far.
pub fn fuzz(name: &str, corpus: &[Vec<u8>], parse: impl FnMut(&[u8]) -> bool) {
    fuzz_within(name, corpus, FIXED, parse);
}

/// The same, with so many bytes for an input of any length.
pub fn fuzz_within(name: &str, corpus: &[Vec<u8>], fixed: usize, mut parse: impl FnMut(&[u8]) -> bool) {
    for input in corpus {
        assert!(parse(input), "{name}: this is well-formed: {}", shown(input));
    }
    let number =
        |name, usual| std::env::var(name).map_or(usual, |number| number.parse().expect("a number of cases"));
    let first = number("FUZZ_FIRST", 0);
    for case in first..first + number("FUZZ_CASES", CASES) {
        let input = broken(corpus, case);
        let (outcome, took) = allocated(|| catch_unwind(AssertUnwindSafe(|| parse(&input))));
        assert!(outcome.is_ok(), "{name}: case {case} panics: {}", shown(&input));
        let within = |bytes: isize, factor: usize| bytes <= (factor * input.len() + fixed) as isize;
        let Allocated { peak, largest } = took;
        assert!(
            within(largest, LARGEST),
            "{name}: case {case} takes {largest} bytes at once: {}",
            shown(&input)
        );
        assert!(within(peak, PEAK), "{name}: case {case} takes {peak} bytes: {}", shown(&input));
    }
}

/// One of the inputs, broken in a few places.
fn broken(corpus: &[Vec<u8>], case: u64) -> Vec<u8> {
    let mut random = Random(case.wrapping_mul(0xd134_2543_de82_ef95));
    let mut input = corpus[random.below(corpus.len())].clone();
    for _ in 0..=random.below(4) {
        break_once(&mut input, corpus, &mut random);
    }
    input
}

fn break_once(input: &mut Vec<u8>, corpus: &[Vec<u8>], random: &mut Random) {
    let at = random.below(input.len());
    let until = at + random.below((input.len() - at).min(64));
    match random.below(10) {
        0 => {
            if let Some(byte) = input.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
        1 => {
            if let Some(byte) = input.get_mut(at) {
                *byte = random.next() as u8;
            }
        }
        // A number in place of another one, as binary formats have it.
        2 | 3 => {
            let number = random.one_of(&NUMBERS).to_le_bytes();
            let wide = random.one_of(&[1, 2, 4, 8]);
            for (byte, new) in input[at..].iter_mut().zip(&number[..wide]) {
                *byte = *new;
            }
        }
        4 => input.truncate(at),
        5 => drop(input.drain(at..until)),
        6 => {
            let piece = input[at..until].to_vec();
            input.splice(at..at, piece);
        }
        7 => {
            input.splice(at..until, random.one_of(&TEXTS).bytes());
        }
        8 => {
            let times = 1 + random.below(2000);
            input.splice(at..at, random.one_of(&TEXTS).bytes().cycle().take(times));
        }
        _ => {
            let other = &corpus[random.below(corpus.len())];
            let from = random.below(other.len());
            let piece = other[from..].iter().take(64).copied();
            input.splice(at..until, piece);
        }
    }
}

fn shown(input: &[u8]) -> String {
    let text = String::from_utf8_lossy(&input[..input.len().min(2000)]);
    format!("{} bytes, {text:?}", input.len())
}
