import type { InPageWith, SafeAccess } from '../pipeline/in-page.js';
import type { ElementScript } from './page-element.js';
import type { ScrollGoal } from './step.js';

/** Scrolls an element into its window, or what is in it. */
export const SCROLL_ELEMENT: ElementScript<ScrollGoal, void> = { run: scrollElement, uses: [scrollInside] };

/** Runs in the page. */
function scrollElement(element: Element, goal: ScrollGoal, safe: SafeAccess): void {
  if (goal.kind === 'element') {
    safe(element).scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  } else scrollInside(element, goal, safe);
}

/** Scrolls the page itself. */
export const SCROLL_PAGE: InPageWith<ScrollGoal, void> = { run: scrollPage, uses: [scrollInside] };

/** Runs in the page. */
function scrollPage(goal: ScrollGoal, safe: SafeAccess): void {
  const scroller = safe(document).scrollingElement;
  if (scroller && goal.kind !== 'element') scrollInside(scroller, goal, safe);
}

/** Runs in the page. */
function scrollInside(
  given: Element,
  goal: Exclude<ScrollGoal, { kind: 'element' }>,
  safe: SafeAccess,
): void {
  const scroller = safe(given);
  const behavior = 'instant';
  if (goal.kind === 'by') scroller.scrollBy({ top: goal.y, behavior });
  else if (goal.kind === 'position') scroller.scrollTo({ left: goal.x, top: goal.y, behavior });
  else scroller.scrollTo({ top: goal.kind === 'top' ? 0 : scroller.scrollHeight, behavior });
}
