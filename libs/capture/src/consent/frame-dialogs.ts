import { setTimeout as delay } from 'node:timers/promises';
import type { Frame } from 'puppeteer';
import type { SafeAccess } from '../pipeline/in-page.js';
import type { ConsentChoice } from './consent-engine.js';
import type { ConsentRules } from './consent-rules.js';
import type { DialogDriver, DialogLook, DriverStep } from './dialog-driver.js';
import { FrameWorld } from './frame-world.js';
import { DialogWords } from '../overlays/dialog-words.js';
import {
  closeSilently,
  hideElement,
  liftScrollLock,
  uncoverContent,
  type WindowSize,
} from '../overlays/uncover-page.js';
import { hasKeptDialogs, hideMatches, isDisplayed } from './hide-dialogs.js';

/** A recognised manager shows its dialog within this time after the load. */
const OPENING_MS = 500;
/** A dialog closes within this time after its answer; it may fade out. */
const CLOSING_MS = 1_200;
/** What is left of the time for a look at the answered dialog, and to hide it. */
const HIDING_MS = 800;
/** A dialog that has not closed by then is answered again: its buttons may have been displayed before they worked. */
const AGAIN_MS = 600;
const POLL_MS = 50;
/** No rule needs as many rounds of snippets. */
const MAX_ROUNDS = 100;
/** A page that puts up another dialog each time keeps its last one. */
const MAX_HIDES = 2;
const MAX_SELECTORS = 30;
const MAX_SELECTOR_LENGTH = 2_000;
const DRIVER = 'consent';
const TOPICS = new DialogWords().topics();
const HIDE = { run: hideMatches, uses: [closeSilently, hideElement] };

export interface DialogTask {
  readonly choice: ConsentChoice;
  readonly rules: ConsentRules;
  /** Whether the page runs scripts: without them nothing answers, and no timer fires. */
  readonly hasScripts: boolean;
  /** Whether the dialog of a recognised manager is waited for: it opens soon after the load. */
  readonly isEarly: boolean;
  /** As `performance.now()` counts. */
  readonly until: number;
  readonly signal: AbortSignal;
  /** Called before the first answer. */
  readonly onAct: () => void;
}

export interface DialogOutcome {
  /** As `FrameDialogs.manager`. */
  readonly manager: string | null;
  readonly isAnswered: boolean;
  readonly isGone: boolean;
}

/** The consent dialogs of one document. */
export class FrameDialogs {
  /** Name of the rule of autoconsent; null for a dialog that no rule knows. */
  manager: string | null = null;
  private selectors: string[] = [];

  private constructor(
    private readonly world: FrameWorld,
    private readonly task: DialogTask,
  ) {}

  /** Undefined when the document cannot show a dialog. */
  static async open(frame: Frame, task: DialogTask): Promise<FrameDialogs | undefined> {
    const isPage = frame.parentFrame() === null;
    const world = await FrameWorld.open(frame);
    const state = await world.call(readState, { isPage, driver: DRIVER, topics: TOPICS });
    if (state === 'unlikely') return undefined;
    if (state === 'new') await world.install(DRIVER, task.rules.driverSource(task.choice, frame.url()));
    return new FrameDialogs(world, task);
  }

  /** Whether the document may show a dialog that has not been found yet. */
  static async mayBeOpen(frame: Frame): Promise<boolean> {
    const isPage = frame.parentFrame() === null;
    const world = await FrameWorld.open(frame);
    const state = await world.call(readState, { isPage, driver: DRIVER, topics: TOPICS });
    return state === 'new' || (state === 'known' && (await world.call(showsUnknown, DRIVER)));
  }

  /** Undoes what a dialog did to the rest of the document around it. Returns the size of the document's window. */
  static async liftLockOf(frame: Frame): Promise<WindowSize> {
    return liftLockIn(await FrameWorld.open(frame));
  }

  /** Looks for a dialog that is displayed, or is soon because its manager is there. */
  async find(): Promise<boolean> {
    const until = Math.min(this.task.until, performance.now() + OPENING_MS);
    for (;;) {
      const look = readLook(await this.perform('look'));
      this.manager = look.manager;
      if (look.isOpen && (await this.isOpenOneShown())) return true;
      const mayOpen = look.manager !== null && this.task.hasScripts && this.task.isEarly;
      if (!mayOpen || performance.now() + POLL_MS > until) return false;
      await delay(POLL_MS, undefined, { signal: this.task.signal });
    }
  }

  /** For autoconsent, a dialog that was hidden may still be open. */
  private async isOpenOneShown(): Promise<boolean> {
    this.selectors = await this.readSelectors();
    const hasPlace = this.selectors.length > 0 || (await this.world.call(hasKeptDialogs, null));
    return !hasPlace || this.isShown();
  }

  /** Removes the dialog that `find` found. */
  async remove(): Promise<DialogOutcome> {
    const isAnswered = await this.closeByAnswer();
    if (await this.isShown()) await this.hide();
    // The page may have put up another one.
    for (let round = 0; round < MAX_HIDES && (await this.isOpenAgain()); round += 1) await this.hide();
    await this.world.call(hideReopeners, DRIVER);
    return { manager: this.manager, isAnswered, isGone: !(await this.isShown()) };
  }

  /** Answers the dialog. Returns whether it has closed because of that. */
  private async closeByAnswer(): Promise<boolean> {
    if (!(await this.answer())) return false;
    if (await this.closes(AGAIN_MS)) return true;
    await this.answer();
    if (await this.closes(CLOSING_MS - AGAIN_MS)) return true;
    // What is still displayed may be a button of the manager, which opens the dialog again.
    return (await this.perform('isOpen')) === false;
  }

  /** As `liftLockOf`. */
  liftLock(): Promise<WindowSize> {
    return liftLockIn(this.world);
  }

  private async readSelectors(): Promise<string[]> {
    const selectors = await this.world.call(readDialogSelectors, DRIVER);
    return selectors.slice(0, MAX_SELECTORS).filter((each) => each.length <= MAX_SELECTOR_LENGTH);
  }

  private async answer(): Promise<boolean> {
    const { choice, hasScripts, until, onAct } = this.task;
    if (choice === 'hide' || !hasScripts) return false;
    onAct();
    // What hides the dialog needs time, too.
    const limit = delay(Math.max(0, until - HIDING_MS - performance.now()), undefined, { ref: false });
    const isAnswered = await Promise.race([this.perform('act'), limit]);
    await this.world.call(stopDriver, DRIVER);
    return isAnswered === true;
  }

  private async closes(withinMs: number): Promise<boolean> {
    const until = Math.min(this.task.until, performance.now() + withinMs);
    for (;;) {
      if (!(await this.isShown())) return true;
      if (performance.now() + POLL_MS > until) return false;
      await delay(POLL_MS, undefined, { signal: this.task.signal });
    }
  }

  /** Whether the dialog that was found is displayed. */
  async isShown(): Promise<boolean> {
    return this.world.call(isDisplayed, this.selectors);
  }

  private async isOpenAgain(): Promise<boolean> {
    if ((await this.perform('isOpen')) !== true) return false;
    this.selectors = [...new Set([...this.selectors, ...(await this.readSelectors())])];
    return this.isShown();
  }

  private async hide(): Promise<void> {
    if (await this.world.call(HIDE, this.selectors)) await this.world.hideOwner();
  }

  /** Runs a task of the driver, and evaluates the snippets that it asks for. */
  private async perform(name: 'look' | 'isOpen' | 'act'): Promise<unknown> {
    let step = await this.world.call(beginTask, { driver: DRIVER, name });
    for (let round = 0; !step.isDone; round += 1) {
      if (round === MAX_ROUNDS) return undefined;
      const values = await this.evaluate(step.snippets);
      step = await this.world.call(resumeTask, { driver: DRIVER, values });
    }
    return step.value;
  }

  private async evaluate(asked: DriverStep['snippets']): Promise<[id: string, value: boolean][]> {
    const { rules, choice, hasScripts } = this.task;
    const codes = asked.map(
      ({ snippet }) => (hasScripts ? rules.snippet(snippet, choice) : undefined) ?? 'false',
    );
    const isNeeded = codes.some((code) => code !== 'false');
    const values = isNeeded ? await this.world.evaluateInMainWorld(codes) : [];
    return asked.map(({ id }, index) => [id, values[index] === true]);
  }
}

async function liftLockIn(world: FrameWorld): Promise<WindowSize> {
  await world.call(liftScrollLock, null);
  return world.call(uncoverContent, null);
}

function readLook(value: unknown): DialogLook {
  const look = (value ?? {}) as Partial<DialogLook>;
  const manager = typeof look.manager === 'string' ? look.manager.slice(0, 100) : null;
  return { manager, isOpen: look.isOpen === true };
}

/**
 * Runs in the page. Whether the document is likely to ask for consent, and has a driver yet: it mentions what a consent dialog
 * speaks of, or loads something from a vendor of them. Sending the rules takes ten times as long. Most frames are
 * advertisements and players.
 */
function readState(
  { isPage, driver, topics }: { readonly isPage: boolean; readonly driver: string; readonly topics: string },
  safe: SafeAccess,
): 'unlikely' | 'new' | 'known' {
  if (Symbol.for(driver) in globalThis) return 'known';
  const page = safe(document);
  if (page.contentType !== 'text/html' || !(page.body as HTMLElement | null)) return 'unlikely';
  if (!isPage && (window.innerWidth < 120 || window.innerHeight < 60)) return 'unlikely';
  const MAX_TEXT = 500_000;
  const MAX_SOURCES = 500;
  const vendors =
    /cookie|consent|cmp|privacy|didomi|onetrust|cookielaw|trustarc|truste|sp-prod|sourcepoint|usercentrics|quantcast|quantserve|iubenda|osano|termly|fundingchoices|klaro|tarteaucitron|axeptio|borlabs|sirdata|admiral|ketch|transcend|evidon|ensighten|tealium|tiqcdn/i;
  const sources = [...page.querySelectorAll('script[src], iframe[src], link[href]')].slice(0, MAX_SOURCES);
  const named = [
    location.href,
    ...sources.map((each) => each.getAttribute('src') ?? each.getAttribute('href') ?? ''),
  ];
  const mentions = new RegExp(topics, 'iu');
  const shadowTexts = (root: ParentNode, depth = 0): string[] =>
    [...root.querySelectorAll('*')].slice(0, 5_000).flatMap((element) => {
      const { shadowRoot } = safe(element);
      if (!shadowRoot || depth > 3) return [];
      return [safe(shadowRoot).textContent.slice(0, 5_000), ...shadowTexts(shadowRoot, depth + 1)];
    });
  const isLikely =
    mentions.test(safe(page.documentElement).textContent.slice(0, MAX_TEXT)) ||
    named.some((each) => vendors.test(each.slice(0, 300))) ||
    // The texts of a shadow root are not among those of the document.
    shadowTexts(page.body).some((text) => mentions.test(text));
  return isLikely ? 'new' : 'unlikely';
}

/** Runs in the page. */
function beginTask({
  driver,
  name,
}: {
  readonly driver: string;
  readonly name: 'look' | 'isOpen' | 'act';
}): Promise<DriverStep> {
  const world = globalThis as unknown as Record<symbol, DialogDriver>;
  const found = world[Symbol.for(driver)];
  if (!found) throw new Error('There is no driver.');
  return found.begin(name);
}

/** Runs in the page. */
function resumeTask({
  driver,
  values,
}: {
  readonly driver: string;
  readonly values: readonly (readonly [string, boolean])[];
}): Promise<DriverStep> {
  const world = globalThis as unknown as Record<symbol, DialogDriver>;
  const found = world[Symbol.for(driver)];
  if (!found) throw new Error('There is no driver.');
  return found.resume(values);
}

/** Runs in the page. */
function readDialogSelectors(driver: string): string[] {
  const world = globalThis as unknown as Record<symbol, DialogDriver>;
  return world[Symbol.for(driver)]?.dialogSelectors() ?? [];
}

/** Runs in the page. Whether a dialog is displayed that no rule knows. */
function showsUnknown(driver: string): boolean {
  const world = globalThis as unknown as Record<symbol, DialogDriver>;
  return world[Symbol.for(driver)]?.showsUnknown() ?? false;
}

/** Runs in the page. */
function hideReopeners(driver: string): void {
  const world = globalThis as unknown as Record<symbol, DialogDriver>;
  world[Symbol.for(driver)]?.hideReopeners();
}

/** Runs in the page. */
function stopDriver(driver: string): void {
  const world = globalThis as unknown as Record<symbol, DialogDriver>;
  world[Symbol.for(driver)]?.stop();
}
