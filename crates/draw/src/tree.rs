//! The layout of a tree: layers from the root down, every node centred above its children.

/// The gaps between neighbours with the same parent.
#[derive(Clone, Copy, Debug)]
pub struct Gaps {
    /// If all of them are leaves.
    pub leaves: f64,
    /// If at least one of them has children.
    pub families: f64,
}

/// The positions of a tree's nodes.
#[derive(Clone, Debug)]
pub struct TreeLayout {
    /// The horizontal centre of each node, from the left edge of the tree.
    pub middles: Vec<f64>,
    /// The layer of each node. The root is in layer 0.
    pub depths: Vec<usize>,
    /// The width of the whole tree.
    pub width: f64,
}

impl TreeLayout {
    /// Places the nodes of a tree. `parents` has the parent of each node. The root comes first and
    /// has no parent, and every parent comes before its children. `width` gives the width of a node
    /// from its index and depth.
    pub fn new(parents: &[Option<usize>], gaps: Gaps, width: impl Fn(usize, usize) -> f64) -> TreeLayout {
        let count = parents.len();
        let mut depths = vec![0; count];
        let mut children = vec![Vec::new(); count];
        for (index, parent) in parents.iter().enumerate() {
            if let Some(parent) = *parent {
                depths[index] = depths[parent] + 1;
                children[parent].push(index);
            }
        }
        let gap = |index: usize| {
            let leaves_only = children[index].iter().all(|&child: &usize| children[child].is_empty());
            if leaves_only { gaps.leaves } else { gaps.families }
        };
        // A subtree is as wide as its own node or as its children side by side, whichever is wider.
        let mut widths = vec![0.0; count];
        for index in (0..count).rev() {
            widths[index] = width(index, depths[index]).max(below(&children[index], &widths, gap(index)));
        }
        let mut lefts = vec![0.0; count];
        let mut middles = vec![0.0; count];
        for index in 0..count {
            middles[index] = lefts[index] + widths[index] / 2.0;
            let mut left = middles[index] - below(&children[index], &widths, gap(index)) / 2.0;
            for &child in &children[index] {
                lefts[child] = left;
                left += widths[child] + gap(index);
            }
        }
        TreeLayout { middles, depths, width: widths.first().copied().unwrap_or(0.0) }
    }

    /// The number of layers.
    pub fn layers(&self) -> usize {
        self.depths.iter().max().map_or(0, |deepest| deepest + 1)
    }
}

/// The total width of subtrees side by side.
fn below(children: &[usize], widths: &[f64], gap: f64) -> f64 {
    let subtrees: f64 = children.iter().map(|&child| widths[child]).sum();
    subtrees + gap * children.len().saturating_sub(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAPS: Gaps = Gaps { leaves: 1.0, families: 2.0 };

    #[test]
    fn nodes_stand_above_the_middle_of_their_children() {
        // 0 has the children 1 and 4; 1 has the leaves 2 and 3.
        let layout = TreeLayout::new(&[None, Some(0), Some(1), Some(1), Some(0)], GAPS, |_, _| 10.0);
        assert_eq!(layout.middles, [16.5, 10.5, 5.0, 16.0, 28.0]);
        assert_eq!(layout.depths, [0, 1, 2, 2, 1]);
        assert_eq!((layout.width, layout.layers()), (33.0, 3));
    }

    #[test]
    fn a_wide_node_makes_room_for_itself() {
        let layout = TreeLayout::new(&[None, Some(0)], GAPS, |_, depth| [30.0, 10.0][depth]);
        assert_eq!((layout.middles, layout.width), (vec![15.0, 15.0], 30.0));
    }

    #[test]
    fn an_empty_tree_has_no_layers() {
        let layout = TreeLayout::new(&[], GAPS, |_, _| 10.0);
        assert_eq!((layout.layers(), layout.width), (0, 0.0));
    }
}
