import { setTimeout as delay } from 'node:timers/promises';
import { boundText } from '@app/kernel';
import type { OverlayReport } from '../record/overlays.js';
import type { Visit } from '../pipeline/family.js';
import type { Cleaner } from '../pipeline/visit-slots.js';
import { followNavigation } from '../pipeline/page-navigation.js';
import { inPage, PageScriptError, type SafeAccess } from '../pipeline/in-page.js';
import { endsInTime, withDeadline } from '../pipeline/wait.js';
import { DialogControls } from './dialog-controls.js';
import { DialogWords } from './dialog-words.js';
import { FloatingElements } from './floating-elements.js';
import { OverlayFinder, type FoundOverlay } from './overlay-finder.js';
import { OverlaySigns } from './overlay-signs.js';
import { closeSilently, hideElement, liftScrollLock, uncoverContent } from './uncover-page.js';

/** Maximum time for all overlays of a page. */
const REMOVE_MS = 3_000;
/** An overlay closes within this time after the click; it may fade out. */
const CLOSING_MS = 1_000;
/** A modal that the Escape key closes does so within this time. Many do not. */
const ESCAPE_MS = 400;
const POLL_MS = 50;
/** Below an overlay there may be another one. */
const MAX_ROUNDS = 3;
/** Maximum length of the list in a record. */
const MAX_REPORTS = 20;

export interface OverlayTask {
  /** Whether the page runs scripts: without them no control works. */
  readonly hasScripts: boolean;
  /** Whether the caller runs scripts in the page or clicks: what opens then may be what they were to open. */
  readonly actsOnPage: boolean;
}

/** Closes what comes over the page by itself, such as newsletter dialogs, and reports it. */
export class PageOverlays implements Cleaner {
  private readonly reports: OverlayReport[] = [];
  private leftMs = REMOVE_MS;
  private hasCleaned = false;

  constructor(
    private readonly visit: Visit,
    private readonly task: OverlayTask,
  ) {}

  /** Closes what is open. A page without an overlay costs one look; all calls together take at most 3 s. */
  async clean(): Promise<boolean> {
    if (this.isOver()) return false;
    this.hasCleaned = true;
    const beganAt = performance.now();
    const deadline = {
      until: beganAt + Math.min(this.leftMs, this.visit.remainingMs() / 3),
      message: 'the overlays',
    };
    const before = this.reports.length;
    try {
      await endsInTime(withDeadline(deadline, this.removeAll(deadline.until)));
    } catch (error) {
      // A page that breaks the script is captured as it is.
      if (!(error instanceof PageScriptError)) throw error;
    }
    this.leftMs -= performance.now() - beganAt;
    this.visit.facts.overlays = [...this.reports];
    return this.reports.length > before;
  }

  async hasMore(): Promise<boolean> {
    return !this.isOver() && (await this.find()).length > 0;
  }

  private isOver(): boolean {
    return (
      this.leftMs <= 0 || this.reports.length >= MAX_REPORTS || (this.hasCleaned && this.task.actsOnPage)
    );
  }

  private async removeAll(until: number): Promise<void> {
    for (let round = 0; round < MAX_ROUNDS && performance.now() < until; round += 1) {
      const found = await this.find();
      const [first] = found;
      if (!first) return;
      this.visit.activity?.act();
      const hasNavigated = await followNavigation(this.visit, () => this.remove(first, until));
      if (hasNavigated) this.visit.activity?.forget();
    }
  }

  private async remove(overlay: FoundOverlay, until: number): Promise<void> {
    const { id, hasControl } = overlay;
    if (this.task.hasScripts) {
      if (hasControl) await this.call('close', id);
      else await this.visit.page.keyboard.press('Escape');
      const end = Math.min(until, performance.now() + (hasControl ? CLOSING_MS : ESCAPE_MS));
      if (await this.closes(id, end)) return this.report(overlay, 'closed');
    }
    if (!hasControl) return void (await this.call('keep', id));
    await this.call('hide', id);
    await inPage(this.visit, liftScrollLock, null);
    await inPage(this.visit, uncoverContent, null);
    this.report(overlay, 'hidden');
  }

  private async closes(id: number, end: number): Promise<boolean> {
    for (;;) {
      if ((await this.call('isOpen', id)) === false) return true;
      if (performance.now() + POLL_MS > end) return false;
      await delay(POLL_MS, undefined, { signal: this.visit.signal });
    }
  }

  private report({ kind, label, box }: FoundOverlay, action: OverlayReport['action']): void {
    if (this.reports.length < MAX_REPORTS)
      this.reports.push({ action, kind, label: boundText('message', label), box });
  }

  private async find(): Promise<FoundOverlay[]> {
    return (await this.call('find')) as FoundOverlay[];
  }

  /** Calls the finder of the document, which is made when the document has none yet. */
  private async call(method: Call['method'], id = 0): Promise<unknown> {
    const known = await inPage(this.visit, callFinder, { method, id });
    if (known !== 'none') return known;
    return inPage(this.visit, { run: makeFinder, uses: USES }, null).then(() =>
      inPage(this.visit, callFinder, { method, id }),
    );
  }
}

const USES = [
  DialogWords,
  FloatingElements,
  DialogControls,
  OverlaySigns,
  closeSilently,
  hideElement,
  OverlayFinder,
  finderOf,
];

interface Call {
  readonly method: 'find' | 'close' | 'isOpen' | 'hide' | 'keep';
  readonly id: number;
}

/** Runs in the page. All looks at one document use the same finder. It is kept under a symbol: a name could be an element's. */
function finderOf(safe: SafeAccess): OverlayFinder {
  const world = globalThis as unknown as Record<symbol, OverlayFinder | undefined>;
  const floats = new FloatingElements(safe);
  const words = new DialogWords();
  const controls = new DialogControls(safe, floats, words);
  return (world[Symbol.for('overlays')] ??= new OverlayFinder(
    safe,
    floats,
    new OverlaySigns(safe, floats, controls, words),
  ));
}

/** Runs in the page. */
function makeFinder(_: null, safe: SafeAccess): void {
  finderOf(safe);
}

/** Runs in the page. Returns `none` when the document has no finder yet. */
function callFinder({ method, id }: Call): unknown {
  const world = globalThis as unknown as Record<symbol, OverlayFinder | undefined>;
  const finder = world[Symbol.for('overlays')];
  return finder ? (finder[method](id) ?? null) : 'none';
}
