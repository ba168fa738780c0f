import type { PageBoxes } from './page-boxes.js';

/** A part of a stage, as it was last looked at. */
interface Part {
  /** Relative to the stage, in CSS px. */
  readonly left: number;
  readonly top: number;
  readonly isShown: boolean;
  /** How far the page was scrolled. */
  readonly at: number;
}

/**
 * Runs in the page. Finds stages: boxes that stay in the window while scrolling plays something in them, such as slides that take turns
 * or a row of sections that moves sideways. Only pictures of several windows show all of that.
 */
export class Stages {
  private readonly parts = new Map<Element, Part>();
  private readonly appeared = new Set<Element>();
  private readonly disappeared = new Set<Element>();
  private isMoved = false;
  /** How far the page was scrolled at the first look. */
  private from: number | undefined;

  constructor(private readonly boxes: PageBoxes) {}

  /** Whether there is one. Two parts that appear or disappear may be the title that fades as the page begins to scroll. */
  get isFound(): boolean {
    return this.isMoved || (this.appeared.size >= 2 && this.disappeared.size >= 2);
  }

  look(element: Element, stage: Element, isShown: boolean): void {
    const box = this.boxes.boxOf(element);
    const around = this.boxes.boxOf(stage);
    const part = { left: box.left - around.left, top: box.top - around.top, isShown, at: window.scrollY };
    const known = this.parts.get(element);
    const isLarge = box.width * box.height >= (innerWidth * innerHeight) / 20;
    if (known?.at === part.at || !isLarge) return;
    this.parts.set(element, part);
    this.from ??= part.at;
    if (!known) {
      // What is shown as it changes for the first time was hidden.
      if (isShown && part.at !== this.from) this.appeared.add(element);
      return;
    }
    const moved = Math.max(
      Math.abs(part.left - known.left) / innerWidth,
      Math.abs(part.top - known.top) / innerHeight,
    );
    if (moved >= 0.5 && element !== stage) this.isMoved = true;
    if (isShown && !known.isShown) this.appeared.add(element);
    if (!isShown && known.isShown) this.disappeared.add(element);
  }
}
