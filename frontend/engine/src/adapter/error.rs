//! What can be wrong with an adapter.

/// Why an adapter cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum AdapterError {
    /// It corrects nothing of this model.
    #[error("the adapter has no weights for any projection of this model")]
    Empty,
    /// A factor whose rank is zero or larger than gemtab takes.
    #[error("{tensor} has rank {rank}; gemtab takes ranks from 1 to {most}")]
    Rank {
        /// The tensor.
        tensor: String,
        /// Its rank.
        rank: u64,
        /// The largest rank.
        most: u32,
    },
    /// A tensor of another model, or one that does not go with its partner.
    #[error(
        "{tensor} has the shape {found:?}; this model asks for {expected:?}: the adapter is for another model"
    )]
    Shape {
        /// The tensor.
        tensor: String,
        /// Its shape, row-major: rows, columns.
        found: Vec<u64>,
        /// The shape that the model implies.
        expected: Vec<u64>,
    },
    /// The model has no such projection.
    #[error("the adapter corrects {tensor}, which this model does not have")]
    NoProjection {
        /// The projection.
        tensor: String,
    },
    /// NaN or infinity among the weights, or in a scale.
    #[error("{tensor} holds numbers that are not finite: the adapter is damaged, or its training failed")]
    NotFinite {
        /// The tensor.
        tensor: String,
    },
    /// The same projection twice.
    #[error("the adapter corrects {tensor} twice")]
    Twice {
        /// The projection.
        tensor: String,
    },
}
