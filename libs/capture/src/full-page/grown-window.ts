import { randomUUID } from 'node:crypto';
import type { Visit } from '../pipeline/family.js';
import { inPage, type SafeAccess } from '../pipeline/in-page.js';
import { OwnRules } from './own-rules.js';
import { onUndo } from './page-undo.js';
import type { ResizeWorld } from './resize-watch.js';
import { drawFrames } from '../pipeline/wait.js';

const MAX_ELEMENTS = 10_000;
const MAX_RULES = 3_000;
/** Maximum wait for the frames in which the page is laid out in its new window. */
const FRAMES_MS = 500;

/**
 * Makes the window `height` CSS px high, so that all of the page is in it. What follows the height of the window, in CSS or by script,
 * keeps the size that it has, and what is fixed to the window its place: a section of 100vh must not become as high as the page.
 */
export async function growWindow(visit: Visit, height: number): Promise<void> {
  const mark = `data-${randomUUID()}`;
  const freezing = { run: freezeOnResize, uses: [OwnRules, FrozenSizes, onUndo] };
  await inPage(visit, freezing, { mark, maxElements: MAX_ELEMENTS, maxRules: MAX_RULES });
  visit.activity?.act();
  visit.isGrown = true;
  await visit.cdp.send('Emulation.setDeviceMetricsOverride', { ...visit.metrics, height: Math.ceil(height) });
  await drawFrames(visit, performance.now() + FRAMES_MS);
  await inPage(visit, freezeAndTell, null);
}

/** Holds also what scripts have made higher after they learnt of the new height. Returns whether there was anything. */
export function freezeAgain(visit: Visit): Promise<boolean> {
  return inPage(visit, againInPage, null);
}

/** Gives a grown window its own height back. */
export async function shrinkWindow(visit: Visit): Promise<void> {
  if (!visit.isGrown) return;
  visit.isGrown = false;
  visit.activity?.act();
  await visit.cdp.send('Emulation.setDeviceMetricsOverride', visit.metrics);
  await inPage(visit, thawInPage, null);
}

interface Sizes {
  readonly values: readonly string[];
  /** The own styles, which only scripts change. */
  readonly own: string | null;
  readonly height: number;
  /** Top edge of what is fixed to the window; undefined for everything else. */
  readonly fixedTop: number | undefined;
}

/** Runs in the page: the sizes that elements have, so that they can be kept when the window gets another height. */
export class FrozenSizes {
  private readonly properties = [
    ...'height min-height max-height top margin-top margin-bottom padding-top padding-bottom'.split(' '),
    ...'width min-width max-width font-size line-height row-gap flex-basis'.split(' '),
  ];
  private readonly sizes = new Map<HTMLElement, Sizes>();
  private readonly windowHeight = window.innerHeight;
  private isFrozen = false;

  constructor(
    private readonly rules: OwnRules,
    elements: readonly HTMLElement[],
  ) {
    for (const element of elements) {
      const { position } = getComputedStyle(element);
      const { top, height } = this.boxOf(element);
      const fixedTop = position === 'fixed' ? top : undefined;
      this.sizes.set(element, { values: this.valuesOf(element), own: this.ownOf(element), height, fixedTop });
    }
  }

  /** Keeps what the styles of the page have changed by now. */
  freeze(): void {
    if (this.isFrozen) return;
    this.isFrozen = true;
    const rules: [HTMLElement, Record<string, string>][] = [];
    for (const [element, { values, own, height, fixedTop }] of this.sizes) {
      if (this.ownOf(element) !== own) continue;
      const now = this.valuesOf(element);
      const changed = this.properties.flatMap((name, i): [string, string][] =>
        now[i] === values[i] ? [] : [[name, values[i] ?? '']],
      );
      const styles: Record<string, string> = Object.fromEntries(changed);
      if (fixedTop !== undefined) Object.assign(styles, this.fixedAt(element, fixedTop, height));
      if (Object.keys(styles).length > 0) rules.push([element, { ...styles, transition: 'none' }]);
    }
    for (const [element, styles] of rules) this.rules.set(element, styles);
  }

  /** Keeps what scripts have made higher by as much as the window, or as many times. */
  freezeGrown(): boolean {
    const [grown, ratio] = [window.innerHeight - this.windowHeight, window.innerHeight / this.windowHeight];
    const found = [...this.sizes].filter(([element, { height }]) => {
      const now = this.boxOf(element).height;
      const isLike = (other: number): boolean => Math.abs(now - other) <= Math.max(2, other / 100);
      // The page itself has grown by what is in it.
      const isPart = element !== document.documentElement && element !== document.body;
      return (
        isPart && height >= 50 && now > height * 1.2 && (isLike(height + grown) || isLike(height * ratio))
      );
    });
    for (const [element, { height }] of found) {
      const px = `${height}px`;
      this.rules.set(element, {
        height: px,
        'min-height': '0px',
        'max-height': px,
        'box-sizing': 'border-box',
      });
    }
    return found.length > 0;
  }

  thaw(): void {
    this.rules.remove(() => undefined);
  }

  private boxOf(element: Element): DOMRect {
    return Element.prototype.getBoundingClientRect.call(element);
  }

  private ownOf(element: Element): string | null {
    return Element.prototype.getAttribute.call(element, 'style');
  }

  /** The computed values; unlike the used ones, they say `auto` for what follows the content. */
  private valuesOf(element: HTMLElement): string[] {
    const map = Element.prototype.computedStyleMap.call(element);
    return this.properties.map((name) => String(map.get(name)));
  }

  private fixedAt(element: HTMLElement, top: number, height: number): Record<string, string> | undefined {
    const now = this.boxOf(element);
    if (Math.abs(now.top - top) < 1 && Math.abs(now.height - height) < 1) return undefined;
    return {
      top: `${top}px`,
      bottom: 'auto',
      height: `${height}px`,
      'box-sizing': 'border-box',
      'margin-top': '0px',
      'margin-bottom': '0px',
      'min-height': '0px',
      'max-height': 'none',
    };
  }
}

/** What the isolated world keeps between two calls, under a symbol: an element's name could shadow a string. */
interface World {
  [key: symbol]: FrozenSizes | undefined;
}

interface Freezing {
  readonly mark: string;
  readonly maxElements: number;
  readonly maxRules: number;
}

/** Runs in the page. Notes the sizes now and keeps them when the window is resized, before the scripts of the page learn of it. */
function freezeOnResize({ mark, maxElements, maxRules }: Freezing, safe: SafeAccess): void {
  const all = safe(document).getElementsByTagName('*');
  const elements = (Array.prototype.slice.call(all, 0, maxElements) as Element[]).filter(
    (element): element is HTMLElement => element instanceof HTMLElement,
  );
  const frozen = new FrozenSizes(new OwnRules(mark, maxRules, safe), elements);
  (globalThis as unknown as World)[Symbol.for('frozen sizes')] = frozen;
  (globalThis as unknown as ResizeWorld)[Symbol.for('on resize')] = () => frozen.freeze();
  onUndo(() => {
    frozen.thaw();
    return true;
  });
}

/**
 * Runs in the page, once it has its new window. Without scripts nothing has learnt of the resize; and scripts that only listen to scrolling
 * look again at what is in the window.
 */
function freezeAndTell(): void {
  (globalThis as unknown as World)[Symbol.for('frozen sizes')]?.freeze();
  window.dispatchEvent(new Event('scroll'));
  document.dispatchEvent(new Event('scroll', { bubbles: true }));
}

/** Runs in the page. */
function againInPage(): boolean {
  return (globalThis as unknown as World)[Symbol.for('frozen sizes')]?.freezeGrown() === true;
}

/** Runs in the page. */
function thawInPage(): void {
  (globalThis as unknown as World)[Symbol.for('frozen sizes')]?.thaw();
}
