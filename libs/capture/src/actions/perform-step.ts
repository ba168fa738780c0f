import type { KeyInput } from 'puppeteer';
import type { Visit } from '../pipeline/family.js';
import { inPage } from '../pipeline/in-page.js';
import { FOCUS, READ_CHECKED, SELECT_OPTIONS } from './choose.js';
import type { KeyPress } from './keys.js';
import { onElement } from './page-element.js';
import { StepProblem } from './problem.js';
import { SCROLL_ELEMENT, SCROLL_PAGE } from './scroll.js';
import type { ScrollGoal, Work } from './step.js';
import { elementOf, inTime, type StepTask, type WorkOf } from './step-task.js';
import { waitFor } from './wait-for.js';
import { WRITE_TEXT } from './write-text.js';

/** Time for a box to take its new state after the click. */
const CHECKED_MS = 1_000;

type Perform<W extends Work> = (task: StepTask<W>) => Promise<void>;

/**
 * What is done for each type of step. What navigates is followed by the caller.
 *
 * Each rejects with a StepProblem that says what kept it, or with the error of the browser.
 */
const PERFORM: { readonly [Type in Work['type']]: Perform<WorkOf<Type>> } = {
  click,
  hover: async (task) => {
    const { point } = await elementOf(task, 'pointer', task.work.offset);
    await task.visit.page.mouse.move(point.x, point.y);
  },
  fill,
  select: (task) => select(task, task.work.values),
  change,
  check,
  press,
  scroll,
  wait: waitFor,
  navigate: ({ visit, work }) => open(visit, work.url),
  reload: async ({ visit }) => {
    await visit.cdp.send('Page.reload');
  },
  back,
  dialog: ({ visit, work }) => {
    visit.answerNextDialog({ isAccepted: work.isAccepted, text: work.text });
    return Promise.resolve();
  },
};

/** Performs a step, without waiting for what it causes. */
export function performStep(task: StepTask): Promise<void> {
  return (PERFORM[task.work.type] as Perform<Work>)(task);
}

async function click(task: StepTask<WorkOf<'click'>>): Promise<void> {
  const { visit, work } = task;
  const { button, times, isDouble = false } = work;
  if (isDouble) {
    const { point } = await elementOf(task, 'pointer', work.offset);
    return visit.page.mouse.click(point.x, point.y, { button, count: 2 });
  }
  for (let count = 0; count < times; count += 1) {
    // The first click may move the element, or replace it.
    const { point } = await elementOf(task, 'pointer', work.offset);
    await visit.page.mouse.click(point.x, point.y, { button });
  }
}

async function fill(task: StepTask<WorkOf<'fill'>>): Promise<void> {
  const { element } = await elementOf(task, 'text');
  const written = await onElement(element, WRITE_TEXT, task.textOf(task.work.text));
  const [selector = ''] = task.step.selectors;
  if (written === 'foreign') {
    const detail = `the secret belongs to ${task.visit.target?.origin ?? 'no origin'}, but the document with ${selector}, or one around it, is of another origin; it was not typed`;
    throw new StepProblem('foreign_document', detail);
  }
  if (written === 'not_a_field') {
    throw new StepProblem(
      'wrong_element',
      `expected a field that takes text, but the element that matches ${selector} takes none`,
    );
  }
  if (written === 'not_taken') {
    throw new StepProblem(
      'wrong_element',
      `the field that matches ${selector} does not take this value, such as a date that is not written as 2026-01-31`,
    );
  }
}

async function select(task: StepTask, values: readonly string[]): Promise<void> {
  const [selector = ''] = task.step.selectors;
  const { element } = await elementOf(task, 'text');
  let missing: readonly string[] = [];
  const isOver = async (): Promise<boolean> => {
    const choice = await onElement(element, SELECT_OPTIONS, values);
    if (choice === 'not_a_select') {
      throw new StepProblem('wrong_element', `expected a select element, but ${selector} matches none`);
    }
    if (choice === 'takes_one') {
      const expected = 'expected a select element that takes several values';
      throw new StepProblem('wrong_element', `${expected}, but ${selector} takes one`);
    }
    ({ missing } = choice);
    return missing.length === 0;
  };
  const problem = (): StepProblem => {
    const detail = `${selector} has no enabled option with the value or label ${missing.join(', ')}`;
    return new StepProblem('no_option', detail);
  };
  // A script of the page may add the options later.
  await inTime(task, isOver, problem);
}

/** A recording does not say what kind of field has changed. */
async function change(task: StepTask<WorkOf<'change'>>): Promise<void> {
  const { value } = task.work;
  const { element } = await elementOf(task, 'text');
  const choice = await onElement(element, SELECT_OPTIONS, [value]);
  const isDone = typeof choice === 'object' && choice.missing.length === 0;
  if (isDone) return;
  if (choice !== 'not_a_select') return select(task, [value]);
  await fill({ ...task, work: { type: 'fill', text: { value } } });
}

async function check(task: StepTask<WorkOf<'check'>>): Promise<void> {
  const [selector = ''] = task.step.selectors;
  const { element, point } = await elementOf(task, 'pointer');
  const isChecked = await onElement(element, READ_CHECKED, null);
  if (isChecked === null) {
    throw new StepProblem(
      'wrong_element',
      `expected a checkbox or a radio button, but what matches ${selector} is neither`,
    );
  }
  if (isChecked === task.work.isChecked) return;
  await task.visit.page.mouse.click(point.x, point.y);
  const isOver = async (): Promise<boolean> =>
    (await onElement(element, READ_CHECKED, null)) === task.work.isChecked;
  await inTime(
    { ...task, until: performance.now() + CHECKED_MS },
    isOver,
    () =>
      new StepProblem(
        'wrong_element',
        `the click did not ${task.work.isChecked ? '' : 'un'}check ${selector}`,
      ),
  );
}

async function press(task: StepTask<WorkOf<'press'>>): Promise<void> {
  if (task.step.selectors.length > 0) {
    const { element } = await elementOf(task, 'display');
    await onElement(element, FOCUS, null);
  }
  const { direction, press: keys } = task.work;
  if (direction === undefined) return pressKey(task.visit, keys);
  const key = keys.key as KeyInput;
  await (direction === 'down' ? task.visit.page.keyboard.down(key) : task.visit.page.keyboard.up(key));
}

async function pressKey({ page }: Visit, { modifiers, key }: KeyPress): Promise<void> {
  // The layout of the keyboard has no key for other characters.
  const isOnKeyboard = key.length > 1 || /^[\x20-\x7e]$/.test(key);
  if (!isOnKeyboard) return page.keyboard.sendCharacter(key);
  for (const modifier of modifiers) await page.keyboard.down(modifier);
  try {
    await page.keyboard.press(key as KeyInput);
  } finally {
    for (const modifier of modifiers.toReversed()) await page.keyboard.up(modifier);
  }
}

async function scroll(task: StepTask<WorkOf<'scroll'>>): Promise<void> {
  const goal: ScrollGoal = task.work.to;
  if (task.step.selectors.length === 0) return inPage(task.visit, SCROLL_PAGE, goal);
  const { element } = await elementOf(task, 'display');
  await onElement(element, SCROLL_ELEMENT, goal);
}

/** Navigates as the address bar does. */
async function open({ cdp }: Visit, url: string): Promise<void> {
  const { errorText } = await cdp.send('Page.navigate', { url });
  if (errorText !== undefined && errorText !== '') throw new Error(`${errorText} at ${url}`);
}

async function back({ visit }: StepTask): Promise<void> {
  const { currentIndex, entries } = await visit.cdp.send('Page.getNavigationHistory');
  const entry = entries[currentIndex - 1];
  // The browser opens each page on an empty document, which is none of the capture.
  if (!entry || entry.url === 'about:blank') {
    throw new StepProblem(
      'nothing_to_go_back_to',
      'expected a page to go back to, but this is the first one',
    );
  }
  await visit.cdp.send('Page.navigateToHistoryEntry', { entryId: entry.id });
}
