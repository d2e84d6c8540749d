//! Lists the payloads of a chunk other than its blocks.

use crate::nbt::Span;

/// Payloads of a chunk other than its blocks. A payload that is not stored is empty.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Extras {
    pub(crate) structures: Span,
    /// A list, or in Bedrock Edition consecutive compounds.
    pub(crate) block_entities: Span,
    /// A list, until 1.16.
    pub(crate) entities: Span,
    /// The boxes in which mobs of structures appear (Bedrock Edition).
    pub(crate) spawners: Span,
}
