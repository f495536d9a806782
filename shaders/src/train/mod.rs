//! What training needs beside the forward and the backward pass: the factors of an adapter and their gradients, the
//! optimiser, and copies of rows.

pub mod dropout;
pub mod lora;
pub mod optimiser;
pub mod rows;
