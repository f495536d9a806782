// The slot of a position: the position itself on global layers (ring 0), otherwise a slot of the ring.
fn kv_slot(position: u32, ring: u32) -> u32 {
    if (ring == 0u) {
        return position;
    }
    return position % ring;
}
