import { AppError } from '@app/kernel';
import { clickAnyway } from '../actions/click-anyway.js';
import { StepProblem } from '../actions/problem.js';
import { defineFamily, type Visit } from '../pipeline/family.js';
import { Text, TextList } from '../pipeline/option-fields.js';
import { boundedScript, outcomeOf } from '../pipeline/bounded-script.js';
import { cleanPage } from '../pipeline/clean-page.js';
import { followNavigation } from '../pipeline/page-navigation.js';
import { inPage, messageOf, PageScriptError } from '../pipeline/in-page.js';
import { PageActivity } from '../pipeline/page-activity.js';
import { addStyleSheet, PageStyles } from './page-styles.js';
import { MAX_SELECTOR_LENGTH, selectorFault, selectorsFault } from '../pipeline/selector-rule.js';

const MAX_CODE_LENGTH = 100_000;

const selector = { max: MAX_SELECTOR_LENGTH, check: selectorFault };
const selectors = { maxItems: 50, maxLength: MAX_SELECTOR_LENGTH, check: selectorsFault };

export class PageChangesOptions {
  @Text('Style sheet that is added to the page. `@import` in it is ignored.', {
    exposure: 'style',
    max: MAX_CODE_LENGTH,
    example: 'body { background: white }',
    alsoCalled: ['style', 'styles', 'inject_css'],
  })
  css?: string;

  @TextList('CSS selectors of elements to remove from the page, its frames and open shadow roots.', {
    exposure: 'public',
    ...selectors,
    example: ['#cookie-banner', '.ad'],
  })
  hide_selectors: string[] = [];

  @TextList(
    'CSS selectors of elements to cover with solid black boxes, also in frames and open shadow roots.',
    { exposure: 'public', ...selectors, example: ['.account-number'] },
  )
  mask_selectors: string[] = [];

  @Text(
    'JavaScript to run in the page, as the body of an async function. The capture waits until it has finished.',
    {
      exposure: 'script',
      max: MAX_CODE_LENGTH,
      example: "document.querySelector('details').open = true",
      alsoCalled: ['script', 'scripts', 'inject_js'],
    },
  )
  js?: string;

  @Text(
    'CSS selector of an element to click, after `js`: the first match that is displayed. The capture waits up to 10 seconds until the element is displayed, enabled and at rest, scrolls it into view and clicks its middle. An element that is covered by another one is clicked, too. If the click opens a page, the capture waits for it.',
    { exposure: 'script', ...selector, example: 'button.accept' },
  )
  click_selector?: string;
}

async function prepare(visit: Visit, options: PageChangesOptions): Promise<void> {
  const { js, click_selector: toClick, hide_selectors: hide, mask_selectors: mask } = options;
  if ((js ?? toClick) !== undefined) visit.activity ??= new PageActivity();
  if (options.css !== undefined || hide.length + mask.length > 0)
    visit.restyle = () => addStyles(visit, options);
  if (hide.length + mask.length === 0) return;
  const styles = await PageStyles.create(visit, { hide, mask });
  visit.cleaners.push(styles);
  stylesOf.set(visit, styles);
}

const stylesOf = new WeakMap<Visit, PageStyles>();

async function settle(visit: Visit, options: PageChangesOptions): Promise<void> {
  const { js, click_selector: toClick } = options;
  // What is open by now has come by itself.
  if ((js ?? toClick) !== undefined) await cleanPage(visit);
  await addStyles(visit, options);
  if (js !== undefined) await onStyledPage(visit, options, () => run(visit, js));
  if (toClick !== undefined) await onStyledPage(visit, options, () => click(visit, toClick));
}

/** Performs an action and adds the styles again when it has navigated to another page. */
async function onStyledPage(
  visit: Visit,
  options: PageChangesOptions,
  act: () => Promise<void>,
): Promise<void> {
  visit.activity?.act();
  const hasNavigated = await followNavigation(visit, act);
  if (!hasNavigated) return;
  visit.activity?.forget();
  await addStyles(visit, options);
}

async function addStyles(visit: Visit, { css }: PageChangesOptions): Promise<void> {
  if (css !== undefined) await inPage(visit, addStyleSheet, css);
  await stylesOf.get(visit)?.add();
}

/** @throws AppError `script_failed` with the message of what the script threw */
async function run({ cdp }: Visit, js: string): Promise<void> {
  const { result, exceptionDetails } = await cdp.send('Runtime.evaluate', {
    expression: boundedScript(js),
    awaitPromise: true,
    returnByValue: true,
    userGesture: true,
  });
  try {
    if (exceptionDetails) throw new PageScriptError(messageOf(exceptionDetails));
    outcomeOf(result.value);
  } catch (error) {
    if (!(error instanceof PageScriptError)) throw error;
    throw new AppError('script_failed', { detail: `js: ${error.message}`, cause: error });
  }
}

/** Maximum wait for the element to click. */
const CLICK_MS = 10_000;

/** What is said of the element that cannot be clicked. */
const OBSTACLES: Partial<Record<StepProblem['kind'], string>> = {
  unknown_selector: 'the browser does not know',
  hidden: 'no element is displayed that matches',
  disabled: 'the element is disabled that matches',
};

/** @throws AppError `selector_not_found` */
async function click(visit: Visit, css: string): Promise<void> {
  try {
    await clickAnyway(visit, css, performance.now() + Math.min(CLICK_MS, visit.remainingMs() / 2));
  } catch (error) {
    if (!(error instanceof StepProblem)) throw error;
    const obstacle = OBSTACLES[error.kind] ?? 'nothing on the page matches';
    throw new AppError('selector_not_found', { detail: `click_selector: ${obstacle} ${css}` });
  }
}

export const pageChanges = defineFamily(
  { name: 'page changes', doc: 'Changes to the page before it is captured, in this order.' },
  PageChangesOptions,
  { prepare, settle },
);
