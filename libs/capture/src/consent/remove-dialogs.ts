import { setTimeout as delay } from 'node:timers/promises';
import type { Frame } from 'puppeteer';
import type { ConsentReport } from '../page-reports.js';
import type { Visit } from '../pipeline/family.js';
import { followNavigation } from '../pipeline/follow-navigation.js';
import { ConsentRules, managerName } from './consent-rules.js';
import type { ConsentChoice } from './dialog-driver.js';
import { FrameDialogs, type DialogOutcome, type DialogTask } from './frame-dialogs.js';

/** Maximum time for all dialogs of a page. */
const REMOVE_MS = 2_500;
/** Maximum time to hide a dialog of the page that an answer leads to. */
const AGAIN_MS = 1_000;
/** A page with more frames is looked at in the first ones only. */
const MAX_FRAMES = 20;

const ANSWERS = { reject: 'rejected', accept: 'accepted', hide: 'hidden' } as const;

export interface ConsentTask {
  readonly choice: ConsentChoice;
  /** Whether the page runs scripts: without them nothing answers, and no timer fires. */
  readonly hasScripts: boolean;
}

/**
 * Removes the consent dialogs of the page and of its frames within 2.5 s, and lets the page scroll again. A page without a
 * dialog costs one look.
 */
export async function removeDialogs(
  visit: Visit,
  { choice, hasScripts }: ConsentTask,
): Promise<ConsentReport> {
  const until = performance.now() + Math.min(REMOVE_MS, visit.remainingMs() / 3);
  const rules = await ConsentRules.load();
  const onAct = (): void => visit.activity?.act();
  const task: DialogTask = { choice, hasScripts, rules, until, signal: visit.signal, onAct };
  const frames = visit.page.frames();
  const isSeen = frames.length <= MAX_FRAMES;
  const open = await findDialogs(frames.slice(0, MAX_FRAMES), task);
  if (open.length === 0) return { manager: null, action: 'none', gone: true };
  let outcomes: readonly DialogOutcome[] = [];
  const hasNavigated = await followNavigation(visit, async () => {
    outcomes = await removeAll(open, task);
  });
  if (!hasNavigated) return reportOf(outcomes, choice, isSeen);
  visit.activity?.forget();
  // The page has taken the answer if it does not ask again; if it does, its dialog is only hidden.
  const later = { ...task, choice: 'hide', until: performance.now() + AGAIN_MS } as const;
  const again = await findDialogs(visit.page.frames().slice(0, MAX_FRAMES), later);
  const [{ manager } = { manager: null }] = outcomes;
  if (again.length === 0) return reportOf([{ manager, isAnswered: true, isGone: true }], choice, isSeen);
  return reportOf(
    [{ manager, isAnswered: false, isGone: true }, ...(await removeAll(again, later))],
    choice,
    isSeen,
  );
}

/** The frames in which a dialog is open. */
async function findDialogs(frames: readonly Frame[], task: DialogTask): Promise<FrameDialogs[]> {
  const look = async (frame: Frame): Promise<FrameDialogs | undefined> => {
    const dialogs = await FrameDialogs.open(frame, task);
    return (await dialogs?.find()) ? dialogs : undefined;
  };
  const found = await Promise.all(frames.map((frame) => unlessLate(look(frame), task)));
  return found.filter((each) => each !== undefined);
}

function removeAll(open: readonly FrameDialogs[], task: DialogTask): Promise<DialogOutcome[]> {
  return Promise.all(
    open.map(async (dialogs) => {
      const outcome = await unlessLate(dialogs.remove(), task);
      await unlessLate(dialogs.liftLock(), task);
      return outcome ?? { manager: dialogs.manager, isAnswered: false, isGone: false };
    }),
  );
}

/** The result of work in a frame; undefined when its time is over or its document is gone. */
async function unlessLate<T>(work: Promise<T>, { until, signal }: DialogTask): Promise<T | undefined> {
  const late = delay(Math.max(0, until - performance.now()), undefined, { ref: false, signal });
  return Promise.race([work.catch(() => undefined), late]);
}

function reportOf(outcomes: readonly DialogOutcome[], choice: ConsentChoice, isSeen: boolean): ConsentReport {
  const isAnswered = outcomes.some((outcome) => outcome.isAnswered);
  const name = outcomes.find(({ manager }) => manager !== null)?.manager ?? null;
  return {
    manager: name === null ? null : managerName(name),
    action: isAnswered ? ANSWERS[choice] : 'hidden',
    gone: isSeen && outcomes.every(({ isGone }) => isGone),
  };
}
