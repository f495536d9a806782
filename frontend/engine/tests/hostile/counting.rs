//! What something allocates.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// Bytes that this thread has allocated, less those that it freed. Each test has a thread of its own.
    static NOW: Cell<isize> = const { Cell::new(0) };
    /// The most that these were since a decoding began.
    static PEAK: Cell<isize> = const { Cell::new(0) };
    /// The largest allocation since then.
    static LARGEST: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    let now = NOW.get() + bytes;
    NOW.set(now);
    PEAK.set(PEAK.get().max(now));
    LARGEST.set(LARGEST.get().max(bytes));
}

struct Counting;

// SAFETY: everything is the system's allocator's; only sizes are added up.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size().cast_signed());
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size().cast_signed());
        // SAFETY: as the caller promises. Here untouched pages cost nothing; in wasm memory they do.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-layout.size().cast_signed());
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What something allocated, in bytes.
pub struct Allocated {
    /// The most at any time.
    pub peak: isize,
    /// The largest single allocation.
    pub largest: isize,
}

/// What `act` gives, and what it allocated.
pub fn allocated<T>(act: impl FnOnce() -> T) -> (T, Allocated) {
    let before = NOW.get();
    PEAK.set(before);
    LARGEST.set(0);
    let given = act();
    (given, Allocated { peak: PEAK.get() - before, largest: LARGEST.get() })
}
