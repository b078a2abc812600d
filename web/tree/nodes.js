/**
 * The nodes of a search tree: which are shown, and what they say. Nodes come from the engine, each
 * after its parent, with children in drawing order.
 */

import { percent, whole } from "../parts/format.js";
import { arrow } from "../parts/words.js";
import { place } from "../speech.js";

/** More nodes than this are not opened at once: the page would stop for over a second. */
export const MOST_SHOWN = 1000;

export class TreeNodes {
  #open = new Set();

  /** @param {object[]} nodes the nodes of the answer to `tree` */
  constructor(nodes) {
    this.nodes = nodes;
    this.children = nodes.map(() => []);
    this.level = nodes.map(() => 0);
    nodes.forEach(({ parent }, index) => {
      if (parent === null || parent === undefined) return;
      this.children[parent].push(index);
      this.level[index] = this.level[parent] + 1;
    });
  }

  isOpen(index) { return this.#open.has(index); }
  hasChildren(index) { return this.children[index].length > 0; }
  parent(index) { return this.nodes[index].parent ?? null; }
  shownChildren(index) { return this.isOpen(index) ? this.children[index] : []; }

  open(index) {
    if (this.hasChildren(index)) this.#open.add(index);
  }

  close(index) {
    this.#open.delete(index);
  }

  toggle(index) {
    if (this.isOpen(index)) this.close(index);
    else this.open(index);
  }

  /** Opens everything, layer by layer. Returns whether all of it fits. */
  openAll() {
    let shown = 1;
    let layer = [0];
    while (layer.length > 0) {
      const next = [];
      for (const index of layer) {
        shown += this.children[index].length;
        if (shown > MOST_SHOWN) return false;
        this.open(index);
        next.push(...this.children[index]);
      }
      layer = next;
    }
    return true;
  }

  closeAll() {
    this.#open.clear();
    this.open(0);
  }

  /** Opens the best line and nothing else. */
  openBest() {
    this.closeAll();
    this.nodes.forEach((node, index) => node.best && this.open(index));
  }

  /** The indices of all shown nodes, each after its parent and before its next sibling. */
  shown() {
    const order = [];
    const stack = [0];
    while (stack.length > 0) {
      const index = stack.pop();
      order.push(index);
      stack.push(...[...this.shownChildren(index)].reverse());
    }
    return order;
  }

  /** The place among its siblings, from 1, and their number. */
  rank(index) {
    const parent = this.parent(index);
    const siblings = parent === null ? [index] : this.children[parent];
    return [siblings.indexOf(index) + 1, siblings.length];
  }
}

/** The label on the way to a node: `← +8` or `2: 90%`. */
export function stepLabel({ step }) {
  if (step.root) return "";
  if (step.spawn) return `${step.spawn.tile}: ${percent(step.probability)}`;
  return step.reward > 0 ? `${arrow(step.move)} +${whole(step.reward)}` : arrow(step.move);
}

/** The cell of a tile that is new on the board of a node. */
export function freshCell({ step }) {
  return (step.spawn ?? step.known)?.cell;
}

/** Whether the board is that after a move, before an unknown tile appears. */
export function isAfterstate({ step }) {
  return step.move !== undefined && !step.known;
}

/** The step to a node in words, beside its label. */
export function stepWords({ step, tiles }) {
  if (step.root) return "Position";
  const spawn = step.spawn ?? step.known;
  const words = [step.move ?? "", spawn ? `new ${spawn.tile} in ${place(spawn.cell, tiles[0].length)}` : ""];
  return words.filter(Boolean).join(", ");
}
