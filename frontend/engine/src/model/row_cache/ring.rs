//! Which line of a table makes room for another.

use crate::model::slots::Policy;

/// The slots from `fixed` on are a ring: the line that was fetched first makes room.
#[derive(Clone, Debug)]
pub struct Ring {
    fixed: usize,
    /// The slot of the next line.
    next: usize,
}

impl Ring {
    /// Returns a ring behind `fixed` slots, which belong to the first lines.
    pub fn new(fixed: u32) -> Self {
        Self { fixed: fixed as usize, next: fixed as usize }
    }
}

impl Policy for Ring {
    fn place(&mut self, line: u32, held: &[Option<u32>], keep: &[u32]) -> Option<u32> {
        if (line as usize) < self.fixed {
            return Some(line);
        }
        for _ in self.fixed..held.len() {
            let slot = self.next;
            self.next = if slot + 1 < held.len() { slot + 1 } else { self.fixed };
            if held[slot].is_none_or(|line| !keep.contains(&line)) {
                return Some(slot as u32);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use shaders::ple::locate::NONE;

    use super::*;
    use crate::model::slots::Slots;

    fn fetch(lines: &mut Slots<Ring>, line: u32, keep: &[u32]) -> Option<u32> {
        let slot = lines.place(line, keep)?;
        let _ = lines.insert(line, slot);
        Some(slot)
    }

    #[test]
    fn the_line_that_was_fetched_first_makes_room_unless_it_is_needed() {
        let mut lines = Slots::new(9, 5, Ring::new(2));
        assert_eq!(
            [4, 1, 7, 5].map(|line| fetch(&mut lines, line, &[])),
            [Some(2), Some(1), Some(3), Some(4)]
        );
        assert_eq!(lines.table(), [NONE, 1, NONE, NONE, 2, 4, NONE, 3, NONE]);
        // 4 was first, but is needed.
        assert_eq!(fetch(&mut lines, 8, &[4, 8]), Some(3));
        assert!(lines.holds(4) && lines.holds(8) && !lines.holds(7));
        // Those that stay are no part of the ring.
        assert_eq!(fetch(&mut lines, 0, &[]), Some(0));
        assert_eq!([3, 6].map(|line| fetch(&mut lines, line, &[])), [Some(4), Some(2)]);
        assert_eq!(lines.table(), [0, 1, NONE, 4, NONE, NONE, 2, NONE, 3]);
        assert_eq!(fetch(&mut lines, 5, &[3, 6, 8]), None);
    }
}
