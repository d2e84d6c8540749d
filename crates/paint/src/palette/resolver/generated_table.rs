//! The table of colours that the resolver makes.

#[derive(Debug, Clone, Default)]
pub struct GeneratedTable {
    /// The text of the table, in the form that the palette reads.
    pub text: String,
    /// The blocks that could not be resolved, each with the reason.
    pub problems: Vec<String>,
}
