//! Chance that is the same each time.

/// A sequence that looks random: SplitMix64.
#[derive(Clone, Debug)]
pub(super) struct Dice(pub(super) u64);

// === impl Dice ===

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.roll() % bound.max(1)
    }

    /// Both ends are possible.
    pub(super) fn between(&mut self, (low, high): (u64, u64)) -> u64 {
        low + self.below(high - low + 1)
    }

    pub(super) fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }

    /// One of several, each as likely as its share.
    pub(super) fn weighted(&mut self, shares: impl Iterator<Item = u32> + Clone) -> usize {
        let mut left = self.below(shares.clone().map(u64::from).sum());
        for (index, share) in shares.enumerate() {
            match left.checked_sub(share.into()) {
                Some(rest) => left = rest,
                None => return index,
            }
        }
        0
    }
}
