import { setTimeout as delay } from 'node:timers/promises';
import type { Frame } from 'puppeteer';
import type { ConsentReport } from '../record/consent.js';
import type { Visit } from '../pipeline/family.js';
import type { Cleaner } from '../pipeline/visit-slots.js';
import { followNavigation } from '../pipeline/page-navigation.js';
import { ConsentRules, managerName } from './consent-rules.js';
import type { ConsentChoice } from './consent-engine.js';
import { FrameDialogs, type DialogOutcome, type DialogTask } from './frame-dialogs.js';

/** Maximum time for all dialogs of a page. */
const REMOVE_MS = 2_500;
/** Maximum time to hide a dialog of the page that an answer leads to. */
const AGAIN_MS = 1_000;
/** A page that was looked at this recently is not looked at again unless it had a dialog. */
const FRESH_MS = 150;
/** A page with more frames is looked at in the first ones only. */
const MAX_FRAMES = 20;

const ANSWERS = { reject: 'rejected', accept: 'accepted', hide: 'hidden' } as const;
const NOTHING: ConsentReport = { manager: null, action: 'none', gone: true };

export interface ConsentTask {
  readonly choice: ConsentChoice;
  /** Whether the page runs scripts: without them nothing answers, and no timer fires. */
  readonly hasScripts: boolean;
}

/** Removes the consent dialogs of a page and of its frames, and lets the page scroll again. */
export class ConsentDialogs implements Cleaner {
  private report = NOTHING;
  /** The frames that had a dialog. */
  private removed: FrameDialogs[] = [];
  private hasLooked = false;
  private leftMs = REMOVE_MS;
  private seenAt = -Infinity;

  constructor(
    private readonly visit: Visit,
    private readonly asked: ConsentTask,
  ) {}

  /**
   * Removes the dialogs that are open, and those that open soon because their manager is there. A page without any costs one
   * look; all calls together take at most 2.5 s, and as long as the page takes to load again.
   */
  async remove(): Promise<void> {
    // The first capture of a process reads them, which is no time of the page.
    const rules = await ConsentRules.load();
    const beganAt = performance.now();
    const task: DialogTask = {
      ...this.asked,
      rules,
      isEarly: !this.hasLooked,
      until: beganAt + Math.min(this.leftMs, this.visit.remainingMs() / 3),
      signal: this.visit.signal,
      onAct: () => this.visit.activity?.act(),
    };
    this.hasLooked = true;
    this.report = merge(this.report, await this.removeOpen(task));
    this.visit.facts.consent = this.report;
    this.seenAt = performance.now();
    this.leftMs -= this.seenAt - beganAt;
  }

  /** As `remove`, for dialogs that came after it, or that the page has put there again. */
  async clean(): Promise<boolean> {
    const isFresh = performance.now() - this.seenAt < FRESH_MS;
    if (isFresh && this.report.action === 'none') return false;
    const before = this.removed.length;
    await this.remove();
    return this.removed.length > before;
  }

  /** Looks at the page as it is now, and reports whether a dialog is shown. */
  async hasMore(): Promise<boolean> {
    // Until the look is over, nothing is known: a page that is too busy for it may show anything.
    this.visit.facts.consent = { ...this.report, gone: false };
    const looks = [
      FrameDialogs.mayBeOpen(this.visit.page.mainFrame()),
      ...this.removed.map((dialogs) => dialogs.isShown()),
    ];
    // A frame that is gone shows nothing.
    const shown = await Promise.all(looks.map((look) => look.catch(() => false)));
    const isShown = shown.includes(true);
    if (isShown) {
      this.report = { ...this.report, gone: false };
      this.seenAt = -Infinity;
    }
    this.visit.facts.consent = this.report;
    return isShown;
  }

  private async removeOpen(task: DialogTask): Promise<ConsentReport> {
    const open = await this.find(task);
    if (open.length === 0) {
      const hadTime = performance.now() < task.until;
      // Where one frame had a dialog, the frames that are not looked at may have one, too.
      return { ...NOTHING, gone: hadTime && (this.areAllSeen() || this.report.action === 'none') };
    }
    let outcomes: readonly DialogOutcome[] = [];
    const hasNavigated = await followNavigation(this.visit, async () => {
      outcomes = await this.removeAll(open, task);
    });
    if (!hasNavigated) return this.reportOf(outcomes);
    this.visit.activity?.forget();
    // The page has taken the answer if it does not ask again; if it does, its dialog is only hidden.
    const later = { ...task, choice: 'hide', until: performance.now() + AGAIN_MS } as const;
    const again = await this.find(later);
    const manager = open.find((each) => each.manager !== null)?.manager ?? null;
    const answered = { manager, isAnswered: again.length === 0, isGone: true };
    return this.reportOf([answered, ...(await this.removeAll(again, later))]);
  }

  /** The frames in which a dialog is open. */
  private async find(task: DialogTask): Promise<FrameDialogs[]> {
    const look = async (frame: Frame): Promise<FrameDialogs | undefined> => {
      const dialogs = await FrameDialogs.open(frame, task);
      return (await dialogs?.find()) ? dialogs : undefined;
    };
    const frames = this.visit.page.frames().slice(0, MAX_FRAMES);
    const found = await Promise.all(frames.map((frame) => unlessLate(look(frame), task)));
    return found.filter((each) => each !== undefined);
  }

  private async removeAll(open: readonly FrameDialogs[], task: DialogTask): Promise<DialogOutcome[]> {
    this.removed.push(...open);
    const outcomes = await Promise.all(
      open.map(async (dialogs) => {
        const outcome = await unlessLate(dialogs.remove(), task);
        return outcome ?? { manager: dialogs.manager, isAnswered: false, isGone: false };
      }),
    );
    const windows = await Promise.all(open.map((dialogs) => unlessLate(dialogs.liftLock(), task)));
    // A dialog in a frame that fills the page has locked the page.
    const { width, height } = this.visit.viewport;
    const isAroundAll = windows.some((size) => size && size.width * size.height >= (width * height) / 2);
    if (isAroundAll) await unlessLate(FrameDialogs.liftLockOf(this.visit.page.mainFrame()), task);
    return outcomes;
  }

  private areAllSeen(): boolean {
    return this.visit.page.frames().length <= MAX_FRAMES;
  }

  private reportOf(outcomes: readonly DialogOutcome[]): ConsentReport {
    const name = outcomes.find(({ manager }) => manager !== null)?.manager ?? null;
    const isAnswered = outcomes.some((outcome) => outcome.isAnswered);
    return {
      manager: name === null ? null : managerName(name),
      action: isAnswered ? ANSWERS[this.asked.choice] : 'hidden',
      gone: this.areAllSeen() && outcomes.every(({ isGone }) => isGone),
    };
  }
}

/** The result of work in a frame; undefined when its time is over or its document is gone. */
async function unlessLate<T>(work: Promise<T>, { until, signal }: DialogTask): Promise<T | undefined> {
  const late = delay(Math.max(0, until - performance.now()), undefined, { ref: false, signal });
  return Promise.race([work.catch(() => undefined), late]);
}

/** What was done first stays, unless it only hid what is answered now; what is left counts. */
function merge(first: ConsentReport, second: ConsentReport): ConsentReport {
  if (first.action === 'none') return second;
  if (second.action === 'none') return { ...first, gone: first.gone || second.gone };
  const isBetter = first.action === 'hidden' && second.action !== 'hidden';
  return { ...(isBetter ? second : first), gone: second.gone };
}
