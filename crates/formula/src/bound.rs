//! How large a formula may be, and how much an evaluation may use. All finite.

/// How large a formula may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Bytes of the source.
    pub source_bytes_max: usize,
    /// Nesting of brackets, signs, `not`, `else` and the like.
    pub depth_max: usize,
    /// Operators in one chain.
    pub chain_max: usize,
    /// Nodes of the tree.
    pub nodes_max: usize,
}

impl Default for Bounds {
    /// 8 KiB, 64 deep, chains of 500, 2,000 nodes: what works on a stack of 256 KiB.
    fn default() -> Self {
        Self {
            source_bytes_max: 8 << 10,
            depth_max: 64,
            chain_max: 500,
            nodes_max: 2_000,
        }
    }
}

/// How much one evaluation may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Cost units: a node is 1, an item 1, each 64 bytes built 1.
    pub cost_max: u64,
    /// Bytes built, those given up again included.
    pub built_bytes_max: u64,
    /// Bytes of the result as a value.
    pub result_bytes_max: u64,
}

impl Default for Budget {
    /// 100,000 units, 8 MiB built, 1 MiB of result.
    fn default() -> Self {
        Self {
            cost_max: 100_000,
            built_bytes_max: 8 << 20,
            result_bytes_max: 1 << 20,
        }
    }
}
