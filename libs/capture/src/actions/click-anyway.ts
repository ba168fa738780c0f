import type { Visit } from '../pipeline/family.js';
import { CLICK_BY_SCRIPT } from './choose.js';
import { onElement } from './page-element.js';
import { waitForElement } from './ready-element.js';

/**
 * One click as the step `click` does it, which also clicks an element that is covered or never stops moving.
 *
 * @param until as `performance.now()` counts
 * @throws StepProblem
 */
export async function clickAnyway(visit: Visit, selector: string, until: number): Promise<void> {
  const step = {
    pointer: '/click_selector',
    index: 0,
    work: { type: 'click', button: 'left', times: 1 },
    timeoutMs: 0,
    isOptional: false,
    frame: undefined,
    selectors: [selector],
  } as const;
  const { element, point, isHit } = await waitForElement(visit, step, { needs: 'click', until });
  visit.activity?.act();
  if (isHit) await visit.page.mouse.click(point.x, point.y);
  else await onElement(element, CLICK_BY_SCRIPT, null);
}
