import { AppError } from '@app/kernel';
import type { Visit } from '../pipeline/family.js';
import { inPage, type SafeAccess } from '../pipeline/in-page.js';
import { poll, WaitTimeoutError } from '../pipeline/wait.js';

/** How long the element is awaited at most. */
const CLICK_MS = 10_000;
/** An element that moves is awaited no longer: it may move without end. */
const MOVING_MS = 1_000;

/** Where a mouse meets the element, in CSS px of the window; `covered` when something else lies there. */
export type ClickPoint = { readonly x: number; readonly y: number } | 'covered';

/** Why there is nothing to click yet; `unknown` is a selector that the browser does not know. */
type Hindrance = 'unknown' | 'missing' | 'hidden' | 'disabled';

const HINDRANCES: Readonly<Record<Hindrance, string>> = {
  unknown: 'the browser does not know',
  missing: 'nothing on the page matches',
  hidden: 'no element is displayed that matches',
  disabled: 'the element is disabled that matches',
};

/**
 * Waits, as a person would, until an element of the selector is displayed, enabled and at rest, and scrolls it into view.
 *
 * @throws AppError `selector_not_found`
 */
export async function waitForClickPoint(visit: Visit, css: string): Promise<ClickPoint> {
  const until = performance.now() + Math.min(CLICK_MS, visit.remainingMs() / 2);
  let found: ClickPoint | Hindrance = 'missing';
  let restBy = Infinity;
  const isOver = async (): Promise<boolean> => {
    const last = found;
    found = await inPage(visit, findClickPoint, css);
    if (found === 'unknown') return true;
    if (isHindrance(found)) return false;
    restBy = Math.min(restBy, performance.now() + MOVING_MS);
    return isSame(found, last) || performance.now() > restBy;
  };
  try {
    await poll(visit, { until, message: 'the element to click' }, isOver);
  } catch (error) {
    if (!(error instanceof WaitTimeoutError)) throw error;
  }
  if (!isHindrance(found)) return found;
  throw new AppError('selector_not_found', { detail: `click_selector: ${HINDRANCES[found]} ${css}` });
}

function isHindrance(found: ClickPoint | Hindrance): found is Hindrance {
  return typeof found === 'string' && found in HINDRANCES;
}

function isSame(one: ClickPoint, other: ClickPoint | Hindrance): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/**
 * Runs in the page: scrolls the first match that is displayed into view and finds the middle of it, or of one of its lines.
 * An element without colour, such as the box below a drawn one, is displayed.
 */
function findClickPoint(selector: string, safe: SafeAccess): ClickPoint | Hindrance {
  let matches: Element[];
  try {
    matches = [...safe(document).querySelectorAll(selector)];
  } catch {
    return 'unknown';
  }
  const isDisplayed = (element: Element): boolean => {
    const { width, height } = safe(element).getBoundingClientRect();
    return width > 0 && height > 0 && safe(element).checkVisibility({ visibilityProperty: true });
  };
  const found = matches.find(isDisplayed);
  if (!found) return matches.length > 0 ? 'hidden' : 'missing';
  const element = safe(found);
  if (element.matches(':disabled')) return 'disabled';
  element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  // The middle of a link that is broken into lines may lie beside its text.
  const boxes = [element.getBoundingClientRect(), ...element.getClientRects()];
  const root = element.getRootNode() as Document | ShadowRoot;
  const points = boxes.map((box) => ({ x: box.left + box.width / 2, y: box.top + box.height / 2 }));
  const isMet = ({ x, y }: { x: number; y: number }): boolean => {
    const met = safe(root).elementFromPoint(x, y);
    return met !== null && (found === met || element.contains(met));
  };
  return points.find(isMet) ?? 'covered';
}

/** Runs in the page: what lies over an element has no say in what its click does. */
export function clickByScript(selector: string, safe: SafeAccess): void {
  const matches = [...safe(document).querySelectorAll(selector)];
  const element = matches.find((each) => {
    const { width, height } = safe(each).getBoundingClientRect();
    return width > 0 && height > 0 && safe(each).checkVisibility({ visibilityProperty: true });
  });
  if (element instanceof HTMLElement) safe(element).click();
  else if (element) safe(element).dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
}
