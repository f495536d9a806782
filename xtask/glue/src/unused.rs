//! Emptying functions that are never called.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use anyhow::Result;
use wasmparser::{BinaryReader, KnownCustom, Name, Parser, Payload, TypeRef};

/// How the names of functions end that no bundle calls, though tables refer to them: every type of a view can hydrate
/// at once, or while it waits for parts that are loaded lazily. The page has none of those (it calls `hydrate_body`, when
/// the part that it begins with is there), and without the bodies of these futures it is smaller by a third. What they
/// share with other functions has other names.
const NEVER_CALLED: &str = "13hydrate_async";
/// How a name goes on from there when it is the body of the future.
const BODY: &str = "28_$u7b$$u7b$closure$u7d$$u7d$";

/// What is in an emptied function.
const NO_LOCALS: u8 = 0x00;
const UNREACHABLE: u8 = 0x00;
const NOP: u8 = 0x01;
const END: u8 = 0x0b;

/// The bundle with nothing in its functions that are never called. One that is called all the same traps.
///
/// Every byte stays in its place, and what the linker notes about those that are gone goes: so what they have called alone
/// is not needed by anything any more when the bundle is taken apart.
pub fn empty_functions(mut wasm: Vec<u8>) -> Result<Vec<u8>> {
    let Found { unused, relocations } = find(&wasm)?;
    let kept = relocations.map(|section| section.without(&wasm, &unused)).transpose()?;
    for body in unused.values() {
        if let [locals, trap, padding @ .., end] = &mut wasm[body.clone()] {
            (*locals, *trap, *end) = (NO_LOCALS, UNREACHABLE, END);
            padding.fill(NOP);
        }
    }
    if let Some((section, bytes)) = kept {
        wasm.splice(section, bytes);
    }
    Ok(wasm)
}

struct Found {
    /// The bodies of the functions, by where they begin.
    unused: BTreeMap<usize, Range<usize>>,
    /// What the linker notes about code, if it was asked to.
    relocations: Option<Relocations>,
}

/// The section `reloc.CODE`.
struct Relocations {
    /// All of it, from its id on.
    section: Range<usize>,
    /// What is in it.
    content: Range<usize>,
    /// Where its offsets count from.
    code: usize,
}

fn find(wasm: &[u8]) -> Result<Found> {
    let (mut imported, mut bodies, mut unnamed) = (0, Vec::new(), BTreeSet::new());
    let (mut code, mut relocations) = (0, None);
    // A section begins where the one before ends, behind the eight bytes of the header.
    let mut begin = 8;
    for payload in Parser::new(0).parse_all(wasm) {
        let payload = payload?;
        match &payload {
            Payload::ImportSection(imports) => {
                for import in imports.clone().into_imports() {
                    imported += u32::from(matches!(import?.ty, TypeRef::Func(_)));
                }
            }
            Payload::CodeSectionStart { range, .. } => code = position(range.start),
            Payload::CodeSectionEntry(body) => {
                let range = body.range();
                bodies.push(position(range.start)..position(range.end));
            }
            Payload::CustomSection(section) => match section.as_known() {
                KnownCustom::Name(names) => {
                    for names in names {
                        let Name::Function(names) = names? else { continue };
                        for naming in names {
                            let naming = naming?;
                            if is_never_called(naming.name) {
                                unnamed.insert(naming.index);
                            }
                        }
                    }
                }
                _ if section.name() == "reloc.CODE" => {
                    let start = position(section.data_offset());
                    let content = start..start + section.data().len();
                    relocations = Some(Relocations { section: begin..content.end, content, code });
                }
                _ => {}
            },
            _ => {}
        }
        if let Some((_, range)) = payload.as_section() {
            begin = position(range.end);
        }
    }
    let unused =
        unnamed.iter().filter_map(|index| bodies.get(usize::try_from(index.checked_sub(imported)?).ok()?));
    Ok(Found { unused: unused.map(|body| (body.start, body.clone())).collect(), relocations })
}

impl Relocations {
    /// The section without the entries within some functions, and where it stands.
    fn without(self, wasm: &[u8], unused: &BTreeMap<usize, Range<usize>>) -> Result<(Range<usize>, Vec<u8>)> {
        let content = &wasm[self.content.clone()];
        let mut reader = BinaryReader::new(content, 0);
        let section = reader.read_var_u32()?;
        let count = reader.read_var_u32()?;
        let (mut kept, mut entries) = (0, Vec::new());
        for _ in 0..count {
            let start = position(reader.original_position());
            let entry: wasmparser::RelocationEntry = reader.read()?;
            let end = position(reader.original_position());
            let at = self.code + entry.offset as usize;
            let is_within = unused.range(..=at).next_back().is_some_and(|(_, body)| body.contains(&at));
            if !is_within {
                kept += 1;
                entries.extend_from_slice(&content[start..end]);
            }
        }
        let mut body = Vec::new();
        push_number(&mut body, "reloc.CODE".len());
        body.extend_from_slice(b"reloc.CODE");
        push_number(&mut body, section as usize);
        push_number(&mut body, kept);
        body.append(&mut entries);
        let mut bytes = vec![0];
        push_number(&mut bytes, body.len());
        bytes.append(&mut body);
        Ok((self.section, bytes))
    }
}

fn is_never_called(name: &str) -> bool {
    name.split_once(NEVER_CALLED).is_some_and(|(_, rest)| {
        let hash = rest.trim_start_matches(BODY);
        hash.len() < rest.len() && hash.starts_with("17h") && hash.len() == "17h0123456789abcdefE".len()
    })
}

fn position(offset: impl TryInto<usize>) -> usize {
    // Offsets into a file that is in memory.
    offset.try_into().unwrap_or(usize::MAX)
}

/// LEB128.
fn push_number(out: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 2] = [
        "_ZN3app4draw17h0123456789abcdefE",
        "_ZN3app13hydrate_async28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE",
    ];

    fn section(id: u8, content: &[u8]) -> Vec<u8> {
        [&[id, content.len() as u8], content].concat()
    }

    fn custom(name: &str, content: &[u8]) -> Vec<u8> {
        section(0, &[&[name.len() as u8], name.as_bytes(), content].concat())
    }

    /// Two functions that call one another, with their names and what the linker notes about the two calls.
    fn module() -> Vec<u8> {
        let call = |function: u8| [0x08, 0x00, 0x10, 0x80 | function, 0x80, 0x80, 0x80, 0x00, END];
        let name = |index: u8| {
            [&[index, NAMES[index as usize].len() as u8], NAMES[index as usize].as_bytes()].concat()
        };
        let names = [&[2][..], &name(0), &name(1)].concat();
        [
            b"\0asm\x01\0\0\0".to_vec(),
            section(1, &[1, 0x60, 0, 0]),
            section(3, &[2, 0, 0]),
            section(10, &[&[2][..], &call(1), &call(0)].concat()),
            // Section 2 has two entries: a function's index at byte 4, and one at byte 13.
            custom("reloc.CODE", &[2, 2, 0, 4, 1, 0, 13, 0]),
            custom("name", &section(1, &names)),
        ]
        .concat()
    }

    #[test]
    fn what_is_never_called_is_emptied_and_needs_nothing_any_more() {
        let (mut bodies, mut relocations) = (Vec::new(), Vec::new());
        let wasm = empty_functions(module()).expect("emptied");
        for payload in Parser::new(0).parse_all(&wasm) {
            match payload.expect("valid") {
                Payload::CodeSectionEntry(body) => bodies.push(body.as_bytes().to_vec()),
                Payload::CustomSection(section) if section.name() == "reloc.CODE" => {
                    relocations.extend_from_slice(section.data());
                }
                _ => {}
            }
        }
        assert_eq!(bodies[0], [0, 0x10, 0x81, 0x80, 0x80, 0x80, 0, END]);
        assert_eq!(bodies[1], [NO_LOCALS, UNREACHABLE, NOP, NOP, NOP, NOP, NOP, END]);
        assert_eq!(relocations, [2, 1, 0, 4, 1]);
    }

    #[test]
    fn a_bundle_without_notes_of_the_linker_is_emptied_too() {
        let module = module();
        let without =
            module.windows(12).position(|bytes| bytes[2..] == *b"reloc.CODE").expect("a section") - 1;
        let end = without + 2 + module[without + 1] as usize;
        let wasm = empty_functions([&module[..without], &module[end..]].concat()).expect("emptied");
        assert_eq!(wasm.len(), module.len() - (end - without));
        assert!(wasm.windows(8).any(|bytes| bytes == [0, 0, NOP, NOP, NOP, NOP, NOP, END]));
    }
}
