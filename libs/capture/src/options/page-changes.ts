import type { ElementHandle } from 'puppeteer';
import { AppError, Text, TextList } from '@app/kernel';
import { defineFamily, type Visit } from '../pipeline/family.js';
import { followNavigation } from './follow-navigation.js';
import { addPageStyles } from './page-styles.js';
import { MAX_SELECTOR_LENGTH, selectorFault } from './selector-rule.js';

const MAX_CODE_LENGTH = 100_000;

const selector = { max: MAX_SELECTOR_LENGTH, check: selectorFault };
const selectors = { maxItems: 50, maxLength: MAX_SELECTOR_LENGTH, check: selectorsFault };

export class PageChangesOptions {
  @Text('Style sheet added to the page; `@import` in it is ignored.', {
    max: MAX_CODE_LENGTH,
    example: 'body { background: white }',
  })
  css?: string;

  @TextList('CSS selectors of elements that are taken out of the page.', {
    ...selectors,
    example: ['#cookie-banner', '.ad'],
  })
  hide_selectors: string[] = [];

  @TextList('CSS selectors of elements that are covered by solid black boxes, whatever is in them.', {
    ...selectors,
    example: ['.account-number'],
  })
  mask_selectors: string[] = [];

  @Text('JavaScript run in the page as the body of an async function; what it awaits is awaited.', {
    max: MAX_CODE_LENGTH,
    example: "document.querySelector('details').open = true",
  })
  js?: string;

  @Text('CSS selector of an element to click, after `js`; a page that the click opens is waited for.', {
    ...selector,
    example: 'button.accept',
  })
  click_selector?: string;

  @Text('CSS selector of an element to scroll to the top of the window.', {
    ...selector,
    example: '#pricing',
  })
  scroll_to_selector?: string;
}

function selectorsFault(list: readonly string[]): string | undefined {
  const fault = list.map(selectorFault).find((each) => each !== undefined);
  return fault && `each item ${fault}`;
}

async function settle(visit: Visit, options: PageChangesOptions): Promise<void> {
  const { css, hide_selectors: hide, mask_selectors: mask, js } = options;
  if (css !== undefined || hide.length > 0 || mask.length > 0) await addStyles(visit, options);
  if (js !== undefined) await followNavigation(visit, () => run(visit, js));
  if (options.click_selector !== undefined) {
    const element = await find(visit, 'click_selector', options.click_selector);
    await followNavigation(visit, () => click(element));
  }
  if (options.scroll_to_selector !== undefined) {
    const element = await find(visit, 'scroll_to_selector', options.scroll_to_selector);
    await element.evaluate((node) => {
      node.scrollIntoView({ block: 'start', behavior: 'instant' });
    });
  }
}

async function addStyles({ page }: Visit, options: PageChangesOptions): Promise<void> {
  const unknown = await page.evaluate(addPageStyles, {
    css: options.css ?? '',
    hide: options.hide_selectors,
    mask: options.mask_selectors,
  });
  if (unknown === null) return;
  const name = options.hide_selectors.includes(unknown) ? 'hide_selectors' : 'mask_selectors';
  throw notFound(name, unknown, 'is no selector of this browser');
}

/** @throws AppError `script_failed` with what the script threw */
async function run({ cdp }: Visit, js: string): Promise<void> {
  const { exceptionDetails } = await cdp.send('Runtime.evaluate', {
    expression: `(async () => {\n${js}\n})()`,
    awaitPromise: true,
    userGesture: true,
  });
  if (!exceptionDetails) return;
  const { exception, text } = exceptionDetails;
  // The description of an Error goes on with its stack.
  const [thrown = ''] = String(exception?.description ?? exception?.value ?? text).split('\n');
  throw new AppError('script_failed', { detail: `js: ${thrown.slice(0, 300)}` });
}

async function find({ page }: Visit, option: string, css: string): Promise<ElementHandle<Element>> {
  const handle = await page.evaluateHandle((text) => {
    try {
      return document.querySelector(text);
    } catch {
      return null;
    }
  }, css);
  const element = handle.asElement();
  if (!element) throw notFound(option, css, 'matches nothing on the page');
  return element as ElementHandle<Element>;
}

function notFound(option: string, css: string, fault: string): AppError {
  return new AppError('selector_not_found', { detail: `${option}: ${css} ${fault}` });
}

async function click(element: ElementHandle<Element>): Promise<void> {
  try {
    await element.click();
  } catch {
    // Without a box there is nothing for a mouse to meet; the page's handler still means the click.
    await element.evaluate((node) => {
      if (node instanceof HTMLElement) node.click();
    });
  }
}

export const pageChanges = defineFamily(
  'page changes',
  'What is done to the page before it is captured, in this order.',
  PageChangesOptions,
  { settle },
);
