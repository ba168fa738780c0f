import { setTimeout as delay } from 'node:timers/promises';
import type { Visit } from '../pipeline/family.js';
import { isProtocolError, PageScriptError } from '../pipeline/in-page.js';
import { WaitTimeoutError, withDeadline } from '../pipeline/wait.js';
import { LOOK, TO_OUTER, type Look, type LookQuery } from './element-look.js';
import { findElement } from './find-element.js';
import { onElement, type PageElement } from './page-element.js';
import { StepProblem } from './problem.js';
import type { Offset, Step } from './step.js';
import { openFrame, type StepFrame } from './step-frame.js';

const POLL_MS = 40;
/** How long `click` waits for a moving element to stop: it may move forever. */
const MOVING_MS = 1_000;
const NOWHERE: Offset = { x: 0, y: 0 };
/** Where a covered element is scrolled to next: what is pinned to an edge of the window no longer covers it. */
const OTHER_PLACES = ['end', 'start', 'center'] as const;

/** An element in the state that a step needs. */
export interface ReadyElement {
  readonly element: PageElement;
  /** Where a pointer hits it, in CSS px of the window of the page; meaningless when the step needs no pointer. */
  readonly point: Offset;
  /** False for an element that is covered everywhere, which only `click` returns. */
  readonly isHit: boolean;
}

/** What a step needs of its element. */
export interface ElementNeed {
  readonly needs: LookQuery['needs'];
  readonly offset?: Offset | undefined;
  /** As `performance.now()` counts. */
  readonly until: number;
}

const EXPECTED: Readonly<Record<LookQuery['needs'], string>> = {
  pointer: 'a displayed and enabled element at rest that the pointer hits',
  click: 'a displayed and enabled element',
  text: 'a displayed and enabled field',
  display: 'a displayed element',
};

const FOUND: Readonly<Record<Exclude<Look['state'], 'ready' | 'covered'>, string>> = {
  detached: 'it was removed from the page',
  hidden: 'it is not displayed',
  disabled: 'it is disabled',
  read_only: 'it is read-only',
  outside: 'it is outside the window and cannot be scrolled into it',
};

/**
 * Waits, as a person would, until an element is in the state that a step needs, and scrolls it into the window.
 *
 * @throws StepProblem with the last state of the element
 */
export function waitForElement(visit: Visit, step: Step, need: ElementNeed): Promise<ReadyElement> {
  return new ElementWait(visit, step, need).run();
}

/** Looks at an element until it is as a step needs it. */
class ElementWait {
  private problem: StepProblem;
  private last: Offset | null = null;
  private timesCovered = 0;
  private restBy = Infinity;
  private hasLooked = false;

  constructor(
    private readonly visit: Visit,
    private readonly step: Step,
    private readonly need: ElementNeed,
  ) {
    this.problem = this.found('no_element', 'nothing on the page matches');
  }

  async run(): Promise<ReadyElement> {
    const { until } = this.need;
    for (;;) {
      try {
        const ready = await withDeadline({ until, message: 'the page does not respond' }, this.look());
        if (ready) return ready;
      } catch (error) {
        this.note(error);
      }
      if (performance.now() + POLL_MS > until) throw this.problem;
      await delay(POLL_MS, undefined, { signal: this.visit.signal });
    }
  }

  /** Keeps what a look has found; what cannot change any more is thrown. */
  private note(error: unknown): void {
    if (error instanceof WaitTimeoutError) {
      // The time was over during a look: the one before it counts.
      if (!this.hasLooked) this.problem = this.found('not_in_time', error.message);
      return;
    }
    this.hasLooked = true;
    if (error instanceof StepProblem && error.kind !== 'unknown_selector') this.problem = error;
    else if (!isTransient(error)) throw error;
  }

  private async look(): Promise<ReadyElement | null> {
    const frame = await openFrame(this.visit, this.step.frame);
    const element = await findElement(frame.world, this.step.selectors);
    if (!element) throw this.found('no_element', `nothing ${this.place} matches`);
    const look = await onElement(element, LOOK, {
      needs: this.need.needs,
      offset: this.need.offset ?? null,
      align: this.alignment(frame),
    });
    const isClickable = look.state === 'covered' || look.state === 'outside';
    if (this.need.needs === 'click' && isClickable) return { element, point: NOWHERE, isHit: false };
    if (look.state === 'covered') throw this.covered(look.by);
    if (look.state !== 'ready') throw this.found(look.state, FOUND[look.state]);
    const isPointed = this.need.needs === 'pointer' || this.need.needs === 'click';
    if (!isPointed) return { element, point: look, isHit: true };
    const point = await this.toWindow(frame, look);
    this.restBy = Math.min(this.restBy, performance.now() + MOVING_MS);
    const isAtRest = this.last?.x === point.x && this.last.y === point.y;
    const isTolerated = this.need.needs === 'click' && performance.now() > this.restBy;
    this.last = point;
    if (!isAtRest && !isTolerated) throw this.found('moving', 'it moves all the time');
    return { element, point, isHit: true };
  }

  /** The element in a frame may be out of sight although it is in the window of the frame. */
  private alignment({ owners }: StepFrame): LookQuery['align'] {
    if (this.timesCovered > 0) return OTHER_PLACES[this.timesCovered % OTHER_PLACES.length] ?? 'center';
    return owners.length > 0 && this.last === null ? 'center' : null;
  }

  private async toWindow({ owners }: StepFrame, inner: Offset): Promise<Offset> {
    let point = inner;
    for (const owner of owners) {
      const { coveredBy, x, y } = await onElement(owner, TO_OUTER, point);
      if (coveredBy !== null) throw this.covered(coveredBy);
      point = { x, y };
    }
    return point;
  }

  private covered(by: string): StepProblem {
    this.timesCovered += 1;
    return this.found('covered', `it is covered by ${by}`);
  }

  private get place(): string {
    return this.step.frame === undefined ? 'on the page' : 'in the frame';
  }

  private found(kind: StepProblem['kind'], what: string): StepProblem {
    const [selector = ''] = this.step.selectors;
    return new StepProblem(
      kind,
      `expected ${EXPECTED[this.need.needs]} that matches ${selector}, but ${what}`,
    );
  }
}

/** The document is gone, or a script of the page interfered: the next look is at another one. */
export function isTransient(error: unknown): boolean {
  return error instanceof PageScriptError || isProtocolError(error);
}
