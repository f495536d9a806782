//! Where records lie: IndexedDB, or memory. Nothing here knows what a record means.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

#[cfg(target_arch = "wasm32")]
use super::indexed_db::Database;
use super::records::{StoreError, Table, Value, Write};

/// Where records lie.
#[derive(Clone)]
pub(super) enum Backend {
    /// In memory, until the page goes away.
    Memory(Memory),
    /// In this browser's IndexedDB.
    #[cfg(target_arch = "wasm32")]
    Browser(Database),
}

impl Backend {
    /// One record.
    pub(super) async fn get(&self, table: Table, key: &str) -> Result<Option<Value>, StoreError> {
        match self {
            Self::Memory(memory) => {
                #[cfg(test)]
                memory
                    .faults(|faults| faults.conversations_read += usize::from(table == Table::Conversations));
                memory.with(|records| records.get(&(table, key.to_owned())).cloned())
            }
            #[cfg(target_arch = "wasm32")]
            Self::Browser(database) => database.get(table, key).await,
        }
    }

    /// All records of a table, by key.
    pub(super) async fn all(&self, table: Table) -> Result<Vec<(String, Value)>, StoreError> {
        match self {
            Self::Memory(memory) => memory.with(|records| {
                let own = records.iter().filter(|((of, _), _)| *of == table);
                own.map(|((_, key), value)| (key.clone(), value.clone())).collect()
            }),
            #[cfg(target_arch = "wasm32")]
            Self::Browser(database) => database.all(table).await,
        }
    }

    /// All keys of a table.
    pub(super) async fn keys(&self, table: Table) -> Result<Vec<String>, StoreError> {
        match self {
            Self::Memory(memory) => memory.with(|records| {
                records.keys().filter(|(of, _)| *of == table).map(|(_, key)| key.clone()).collect()
            }),
            #[cfg(target_arch = "wasm32")]
            Self::Browser(database) => database.keys(table).await,
        }
    }

    /// Makes all changes, or none.
    pub(super) async fn commit(&self, writes: Vec<Write>) -> Result<(), StoreError> {
        let tables = tables_of(&writes);
        self.update(&tables, Vec::new(), |_| Ok((writes, ()))).await
    }

    /// Reads records and makes the changes that `decide` makes of them: all, or none. Nobody else writes to these tables
    /// between the two.
    pub(super) async fn update<T>(
        &self,
        tables: &[Table],
        reads: Vec<(Table, String)>,
        decide: impl FnOnce(Vec<Option<Value>>) -> Result<(Vec<Write>, T), StoreError>,
    ) -> Result<T, StoreError> {
        match self {
            Self::Memory(memory) => memory.update(tables, reads, decide),
            #[cfg(target_arch = "wasm32")]
            Self::Browser(database) => database.update(tables, reads, decide).await,
        }
    }
}

/// The tables that changes are made in.
fn tables_of(writes: &[Write]) -> Vec<Table> {
    let mut tables: Vec<_> = writes
        .iter()
        .map(|write| match write {
            Write::Put(table, ..) | Write::Remove(table, _) => *table,
        })
        .collect();
    tables.sort_unstable();
    tables.dedup();
    tables
}

type Records = BTreeMap<(Table, String), Value>;

/// Records in memory. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct Memory {
    records: Arc<Mutex<Records>>,
    #[cfg(test)]
    faults: Arc<Mutex<Faults>>,
}

/// What goes wrong, to rehearse it.
#[cfg(test)]
#[derive(Default)]
pub(crate) struct Faults {
    /// Most bytes in all.
    pub(crate) limit: Option<usize>,
    /// How many operations there were.
    pub(crate) operations: usize,
    /// How many conversations were read.
    pub(crate) conversations_read: usize,
    /// Which of them fails, counted from 0, and how. Nothing of it is done then.
    pub(crate) fails: Option<(usize, StoreError)>,
}

impl Memory {
    /// What goes wrong from now on, to be read and changed.
    #[cfg(test)]
    pub(crate) fn faults<T>(&self, change: impl FnOnce(&mut Faults) -> T) -> T {
        change(&mut self.faults.lock().unwrap_or_else(PoisonError::into_inner))
    }

    #[cfg(test)]
    fn begin(&self) -> Result<(), StoreError> {
        self.faults(|faults| {
            let operation = faults.operations;
            faults.operations += 1;
            match &faults.fails {
                Some((fails, error)) if *fails == operation => Err(error.clone()),
                _ => Ok(()),
            }
        })
    }

    #[cfg(not(test))]
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "the same signature as in tests")]
    fn begin(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn with<T>(&self, read: impl FnOnce(&Records) -> T) -> Result<T, StoreError> {
        self.begin()?;
        // A panic elsewhere cannot leave the map half changed: it is replaced whole.
        Ok(read(&self.records.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    fn update<T>(
        &self,
        tables: &[Table],
        reads: Vec<(Table, String)>,
        decide: impl FnOnce(Vec<Option<Value>>) -> Result<(Vec<Write>, T), StoreError>,
    ) -> Result<T, StoreError> {
        self.begin()?;
        let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        let read = reads.into_iter().map(|place| records.get(&place).cloned()).collect();
        let (writes, value) = decide(read)?;
        debug_assert!(
            tables_of(&writes).iter().all(|table| tables.contains(table)),
            "a transaction of these tables"
        );
        #[cfg(test)]
        if let Some(limit) = self.faults(|faults| faults.limit) {
            let mut after = records.clone();
            apply(&mut after, writes.clone());
            let size = |value: &Value| match value {
                Value::Text(text) => text.len(),
                Value::Bytes(bytes) => bytes.len(),
            };
            if after.values().map(size).sum::<usize>() > limit {
                return Err(StoreError::Full);
            }
        }
        apply(&mut records, writes);
        Ok(value)
    }
}

fn apply(records: &mut Records, writes: Vec<Write>) {
    for write in writes {
        match write {
            Write::Put(table, key, value) => records.insert((table, key), value),
            Write::Remove(table, key) => records.remove(&(table, key)),
        };
    }
}
