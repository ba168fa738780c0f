import { AppError } from '@app/kernel';
import type { Visit } from '../pipeline/family.js';
import { inPage, type SafeAccess } from '../pipeline/in-page.js';
import { poll, WaitTimeoutError } from '../pipeline/wait.js';

/** Maximum wait for the element. */
const CLICK_MS = 10_000;
/** Maximum wait for a moving element to stop: it may move forever. */
const MOVING_MS = 1_000;

/** A point of the window where the element can be clicked, in CSS px; `covered` when another element is on top everywhere. */
export type ClickPoint = { readonly x: number; readonly y: number } | 'covered';

/** Why there is nothing to click yet. `unknown`: the browser does not know the selector. */
type Obstacle = 'unknown' | 'missing' | 'hidden' | 'disabled';

const OBSTACLES: Readonly<Record<Obstacle, string>> = {
  unknown: 'the browser does not know',
  missing: 'nothing on the page matches',
  hidden: 'no element is displayed that matches',
  disabled: 'the element is disabled that matches',
};

/**
 * Waits, as a user would, until an element that matches the selector is displayed, enabled and at rest, and scrolls it into view.
 *
 * @throws AppError `selector_not_found`
 */
export async function waitForClickPoint(visit: Visit, css: string): Promise<ClickPoint> {
  const until = performance.now() + Math.min(CLICK_MS, visit.remainingMs() / 2);
  let found: ClickPoint | Obstacle = 'missing';
  let restBy = Infinity;
  const isOver = async (): Promise<boolean> => {
    const last = found;
    found = await inPage(visit, findClickPoint, css);
    if (found === 'unknown') return true;
    if (isObstacle(found)) return false;
    restBy = Math.min(restBy, performance.now() + MOVING_MS);
    return isSame(found, last) || performance.now() > restBy;
  };
  try {
    await poll(visit, { until, message: 'the element to click' }, isOver);
  } catch (error) {
    if (!(error instanceof WaitTimeoutError)) throw error;
  }
  if (!isObstacle(found)) return found;
  throw new AppError('selector_not_found', { detail: `click_selector: ${OBSTACLES[found]} ${css}` });
}

function isObstacle(found: ClickPoint | Obstacle): found is Obstacle {
  return typeof found === 'string' && found in OBSTACLES;
}

function isSame(one: ClickPoint, other: ClickPoint | Obstacle): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/**
 * Runs in the page. Scrolls the first displayed match into view and returns its middle, or the middle of one of its lines. A
 * transparent element counts as displayed, such as the input below a styled checkbox.
 */
function findClickPoint(selector: string, safe: SafeAccess): ClickPoint | Obstacle {
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
  // The middle of a link that spans lines may be outside its text.
  const boxes = [element.getBoundingClientRect(), ...element.getClientRects()];
  const root = element.getRootNode() as Document | ShadowRoot;
  const points = boxes.map((box) => ({ x: box.left + box.width / 2, y: box.top + box.height / 2 }));
  const isHit = ({ x, y }: { x: number; y: number }): boolean => {
    const hit = safe(root).elementFromPoint(x, y);
    return hit !== null && (found === hit || element.contains(hit));
  };
  return points.find(isHit) ?? 'covered';
}

/** Runs in the page. Clicks the element by script, because a mouse would hit the element on top of it. */
export function clickByScript(selector: string, safe: SafeAccess): void {
  const matches = [...safe(document).querySelectorAll(selector)];
  const element = matches.find((each) => {
    const { width, height } = safe(each).getBoundingClientRect();
    return width > 0 && height > 0 && safe(each).checkVisibility({ visibilityProperty: true });
  });
  if (element instanceof HTMLElement) safe(element).click();
  else if (element) safe(element).dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
}
