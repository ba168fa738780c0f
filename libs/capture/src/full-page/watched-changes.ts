import type { PageBoxes } from './page-boxes.js';

/** What the page has changed about an element. */
interface Change {
  /** Other attributes than `style` can change how its descendants look, too. */
  reachesIn: boolean;
  at: number;
  /** In how many tasks in quick succession it was changed. */
  streak: number;
}

/** Runs in the page, in the isolated world of `inPage`: follows what the page changes, by mutations and by animations. */
export class WatchedChanges {
  private readonly changes = new Map<Element, Change>();
  private readonly observer = new MutationObserver((records) => {
    this.note(records);
  });

  constructor(private readonly boxes: PageBoxes) {}

  /** Returns whether scrolling drives animations of the page. */
  start(): boolean {
    const changes = { subtree: true, childList: true, attributes: true };
    for (const root of this.roots()) this.observer.observe(root, changes);
    let isScrolled = false;
    for (const { timeline, effect } of document.getAnimations().slice(0, 2_000)) {
      const target = effect instanceof KeyframeEffect ? effect.target : null;
      if (timeline === null || timeline instanceof DocumentTimeline || !target) continue;
      this.noteChange(target, -Infinity, false);
      isScrolled = true;
    }
    return isScrolled;
  }

  stop(): void {
    this.observer.disconnect();
  }

  /** What has changed, and what that may have changed, as far as it is in the window. */
  inWindow(): Set<Element> {
    this.note(this.observer.takeRecords());
    const elements = new Set<Element>();
    const add = (element: Element): boolean => {
      const box = this.boxes.boxOf(element);
      const isInWindow = this.boxes.isInWindow(box);
      if (isInWindow && box.width * box.height > 0) elements.add(element);
      return isInWindow;
    };
    for (const [element, { reachesIn }] of this.changes) {
      if (!element.isConnected) this.changes.delete(element);
      else if (add(element) && reachesIn) {
        const inside = Element.prototype.getElementsByTagName.call(element, '*');
        for (const each of Array.prototype.slice.call(inside, 0, 200) as Element[]) add(each);
      }
    }
    return elements;
  }

  /** Whether a script is still changing the element, frame by frame. */
  isChanging(element: Element): boolean {
    const change = this.changes.get(element);
    return change !== undefined && change.streak >= 3 && performance.now() - change.at < 60;
  }

  /** Brings the short animations in the window to their end, as they would come a moment later. */
  endEntrances(): void {
    const entrances = this.entrances();
    // An animation by script changes no attribute.
    for (const { target } of entrances) this.noteChange(target, -Infinity, false);
    if (entrances.length === 0) return;
    const elements = this.inWindow();
    for (const { animation, target } of entrances) {
      if (elements.has(target) && !this.boxes.isPinned(target)) animation.finish();
    }
  }

  /** Short animations that are running. */
  private entrances(): { readonly animation: Animation; readonly target: Element }[] {
    return document
      .getAnimations()
      .slice(0, 2_000)
      .flatMap((animation) => {
        const { playState, timeline, effect, currentTime, playbackRate } = animation;
        const left = Number(effect?.getComputedTiming().endTime) - Number(currentTime);
        const isTimed = playState === 'running' && timeline instanceof DocumentTimeline && playbackRate > 0;
        const target = effect instanceof KeyframeEffect ? effect.target : null;
        return isTimed && left <= 5_000 && target ? [{ animation, target }] : [];
      });
  }

  private note(records: readonly MutationRecord[]): void {
    const at = performance.now();
    for (const { type, target, attributeName, addedNodes } of records.slice(0, 5_000)) {
      // That is changed by the walk itself.
      if (attributeName === 'loading') continue;
      if (type === 'attributes') this.noteChange(target as Element, at, attributeName !== 'style');
      else for (const node of addedNodes) if (node instanceof Element) this.noteChange(node, at, true);
    }
  }

  private noteChange(element: Element, at: number, reachesIn: boolean): void {
    // A class of the whole page says nothing about its parts.
    if (element instanceof HTMLHtmlElement || element instanceof HTMLBodyElement) return;
    const known = this.changes.get(element);
    if (!known && this.changes.size >= 3_000) return;
    const change = known ?? { reachesIn, at: -Infinity, streak: 0 };
    if (at > change.at) {
      change.streak = at - change.at < 100 ? change.streak + 1 : 1;
      change.at = at;
    }
    change.reachesIn ||= reachesIn;
    this.changes.set(element, change);
  }

  /** The document and its open shadow roots. */
  private roots(): Node[] {
    const roots: Node[] = [document];
    for (const element of this.boxes.elements()) {
      const inner: unknown = Reflect.get(Element.prototype, 'shadowRoot', element);
      if (inner instanceof ShadowRoot && roots.length < 100) roots.push(inner);
    }
    return roots;
  }
}
