import { setTimeout as delay } from 'node:timers/promises';
import type { Frame } from 'puppeteer';
import type { SafeAccess } from '../pipeline/in-page.js';
import type { ConsentRules } from './consent-rules.js';
import type { ConsentChoice, DialogDriver, DialogLook, DriverStep } from './dialog-driver.js';
import { FrameWorld } from './frame-world.js';
import { hideMatches, isDisplayed, liftScrollLock, uncoverContent, type WindowSize } from './hide-dialogs.js';

/** A recognised manager shows its dialog within this time after the load. */
const OPENING_MS = 500;
/** A dialog closes within this time after its answer; it may fade out. */
const CLOSING_MS = 1_200;
const POLL_MS = 50;
/** No rule needs as many rounds of snippets. */
const MAX_ROUNDS = 100;
/** A page that puts up another dialog each time keeps its last one. */
const MAX_HIDES = 2;
const MAX_SELECTORS = 30;
const MAX_SELECTOR_LENGTH = 2_000;
const DRIVER = 'consent';

export interface DialogTask {
  readonly choice: ConsentChoice;
  readonly rules: ConsentRules;
  /** Whether the page runs scripts: without them nothing answers, and no timer fires. */
  readonly hasScripts: boolean;
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
    const state = await world.call(readState, { isPage, driver: DRIVER });
    if (state === 'unlikely') return undefined;
    if (state === 'new') await world.install(DRIVER, task.rules.driverSource(task.choice, frame.url()));
    return new FrameDialogs(world, task);
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
      const mayOpen = look.manager !== null && this.task.hasScripts;
      if (!mayOpen || performance.now() + POLL_MS > until) return false;
      await delay(POLL_MS, undefined, { signal: this.task.signal });
    }
  }

  /** For autoconsent, a dialog that was hidden may still be open. */
  private async isOpenOneShown(): Promise<boolean> {
    this.selectors = await this.readSelectors();
    return this.selectors.length === 0 || this.isShown();
  }

  /** Removes the dialog that `find` found. */
  async remove(): Promise<DialogOutcome> {
    const isAnswered = await this.answer();
    if (isAnswered) await this.waitUntilClosed();
    const isClosed = isAnswered && !(await this.isShown());
    if (!isClosed) await this.hide();
    // The page may have put up another one.
    for (let round = 0; round < MAX_HIDES && (await this.isOpenAgain()); round += 1) await this.hide();
    return { manager: this.manager, isAnswered: isClosed, isGone: !(await this.isShown()) };
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
    const limit = delay(Math.max(0, until - CLOSING_MS - performance.now()), undefined, { ref: false });
    const isAnswered = await Promise.race([this.perform('act'), limit]);
    await this.world.call(stopDriver, DRIVER);
    return isAnswered === true;
  }

  private async waitUntilClosed(): Promise<void> {
    const until = Math.min(this.task.until, performance.now() + CLOSING_MS);
    while ((await this.isShown()) && performance.now() + POLL_MS < until) {
      await delay(POLL_MS, undefined, { signal: this.task.signal });
    }
  }

  private async isShown(): Promise<boolean> {
    return this.world.call(isDisplayed, this.selectors);
  }

  private async isOpenAgain(): Promise<boolean> {
    if ((await this.perform('isOpen')) !== true) return false;
    this.selectors = [...new Set([...this.selectors, ...(await this.readSelectors())])];
    return this.isShown();
  }

  private async hide(): Promise<void> {
    if (await this.world.call(hideMatches, this.selectors)) await this.world.hideOwner();
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
  { isPage, driver }: { readonly isPage: boolean; readonly driver: string },
  safe: SafeAccess,
): 'unlikely' | 'new' | 'known' {
  if (Symbol.for(driver) in globalThis) return 'known';
  const page = safe(document);
  if (page.contentType !== 'text/html' || !(page.body as HTMLElement | null)) return 'unlikely';
  if (!isPage && (window.innerWidth < 120 || window.innerHeight < 60)) return 'unlikely';
  const MAX_TEXT = 500_000;
  const MAX_SOURCES = 500;
  const topics =
    /cookie|consent|gdpr|rgpd|dsgvo|ccpa|privacy|datenschutz|confidentialit|privacidad|kolači|süti|eväste|vafrak|slapuk|sīkdat|küpsis|çerez|бисквит|печив|クッキー|쿠키|隐私|隱私|עוגיות|الارتباط/i;
  const vendors =
    /cookie|consent|cmp|privacy|didomi|onetrust|cookielaw|trustarc|truste|sp-prod|sourcepoint|usercentrics|quantcast|quantserve|iubenda|osano|termly|fundingchoices|klaro|tarteaucitron|axeptio|borlabs|sirdata|admiral|ketch|transcend|evidon|ensighten|tealium|tiqcdn/i;
  const sources = [...page.querySelectorAll('script[src], iframe[src], link[href]')].slice(0, MAX_SOURCES);
  const named = [
    location.href,
    ...sources.map((each) => each.getAttribute('src') ?? each.getAttribute('href') ?? ''),
  ];
  const isLikely =
    topics.test(safe(page.documentElement).textContent.slice(0, MAX_TEXT)) ||
    named.some((each) => vendors.test(each.slice(0, 300))) ||
    // The texts of a shadow root are not among those of the document.
    [...page.querySelectorAll('body > *')]
      .slice(0, MAX_SOURCES)
      .some(({ shadowRoot }) => shadowRoot !== null);
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

/** Runs in the page. */
function stopDriver(driver: string): void {
  const world = globalThis as unknown as Record<symbol, DialogDriver>;
  world[Symbol.for(driver)]?.stop();
}
