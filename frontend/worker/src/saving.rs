//! Saving graphics memory: per-layer table and KV cache in 8 bits or outside of it.

use engine::model::KvType;
use engine::session::{DeviceMemory, LoadOptions, ModelSpec, Storage, TablePlace};
use protocol::failure::{DeviceFailure, MemorySaving};
use protocol::{EightBits, Stored};

use crate::host::Host;

/// Returns the preferred storage of table and cache if the user asks for these in 8 bits.
pub fn asked(eight_bits: EightBits) -> Storage {
    Storage {
        table: if eight_bits.table { TablePlace::Requantized } else { TablePlace::Device },
        kv_type: if eight_bits.kv_cache { KvType::Q8_0 } else { KvType::F16 },
    }
}

/// Returns what of a model is stored in 8 bits with this storage.
pub fn stored(plan: &ModelSpec, asked: EightBits, storage: Storage) -> Stored {
    let table = plan.table().is_some() && storage.table == TablePlace::Requantized;
    Stored { asked, eight_bits: EightBits { table, kv_cache: storage.kv_type == KvType::Q8_0 } }
}

/// Returns what of a model is stored in 8 bits after a load with these options.
pub fn planned(plan: &ModelSpec, options: &LoadOptions, asked: EightBits, memory: DeviceMemory) -> Stored {
    // The verdict says what does not fit at all.
    let storage = plan.fit(options.context, memory).map_or(plan.storage, |fit| fit.storage);
    stored(plan, asked, storage)
}

/// Warns of what had to be stored in less memory than planned.
pub fn tell(host: &Host, planned: Storage, storage: Storage) {
    let of_table = match storage.table {
        TablePlace::Host => MemorySaving::TableOutside,
        _ => MemorySaving::TableInEightBits,
    };
    let of_table = (storage.table != planned.table).then_some(of_table);
    let of_cache = (storage.kv_type != planned.kv_type).then_some(MemorySaving::CacheInEightBits);
    for saving in of_table.into_iter().chain(of_cache) {
        host.warn(DeviceFailure::Saved(saving).into());
    }
}
