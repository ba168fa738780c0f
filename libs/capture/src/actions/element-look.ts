import type { SafeAccess } from '../pipeline/in-page.js';
import type { ElementScript } from './page-element.js';
import type { Offset } from './step.js';

/** What a step needs of its element. */
export interface LookQuery {
  /** `click`: a click, whatever is on top of the element. */
  readonly needs: 'pointer' | 'click' | 'text' | 'display';
  readonly offset: Offset | null;
  /** Where to scroll the element in its window; null leaves it where it is if it is in the window. */
  readonly align: 'center' | 'start' | 'end' | null;
}

/** How an element is: `ready` with the point of its window where a pointer hits it, in CSS px. */
export type Look =
  | { readonly state: 'ready'; readonly x: number; readonly y: number }
  | { readonly state: 'covered'; readonly by: string }
  | { readonly state: 'detached' | 'hidden' | 'disabled' | 'read_only' | 'outside' };

/** Looks at an element, and scrolls it into the window when the step needs it there. */
export const LOOK: ElementScript<LookQuery, Look> = {
  run: lookAtElement,
  uses: [hitAt, shadowRootOf, isWithin, describe, targetOf],
};

/** Runs in the page. */
function lookAtElement(given: Element, { needs, offset, align }: LookQuery, safe: SafeAccess): Look {
  const found = needs === 'text' ? targetOf(given, safe) : given;
  const element = safe(found);
  if (!element.isConnected) return { state: 'detached' };
  const whole = element.getBoundingClientRect();
  if (whole.width <= 0 || whole.height <= 0 || !element.checkVisibility({ visibilityProperty: true })) {
    return { state: 'hidden' };
  }
  if (needs === 'display') return { state: 'ready', x: 0, y: 0 };
  const isDisabled =
    element.matches(':disabled') || (needs !== 'click' && element.closest('[aria-disabled=true]') !== null);
  if (isDisabled) return { state: 'disabled' };
  const isReadOnly =
    element.matches(':is(input,textarea):read-only') || element.getAttribute('aria-readonly') === 'true';
  if (needs === 'text') return isReadOnly ? { state: 'read_only' } : { state: 'ready', x: 0, y: 0 };
  const isInside =
    whole.top >= 0 && whole.left >= 0 && whole.bottom <= innerHeight && whole.right <= innerWidth;
  if (align !== null || !isInside || needs === 'click') {
    const block = align ?? 'center';
    element.scrollIntoView({ block, inline: 'center', behavior: 'instant' });
  }
  // The middle of a link that spans lines may be outside its text.
  const box = element.getBoundingClientRect();
  const points = offset
    ? [{ x: box.left + offset.x, y: box.top + offset.y }]
    : [box, ...element.getClientRects()].map(({ left, top, width, height }) => ({
        x: left + width / 2,
        y: top + height / 2,
      }));
  const hits = points.map((point) => ({ ...point, hit: hitAt(point.x, point.y, safe) }));
  const own = hits.find(({ hit }) => hit !== null && isWithin(hit, found, safe));
  if (own) return { state: 'ready', x: own.x, y: own.y };
  const other = hits.find(({ hit }) => hit !== null)?.hit;
  return other ? { state: 'covered', by: describe(other, safe) } : { state: 'outside' };
}

/** Runs in the page. The innermost element at a point of the window, through open shadow roots. */
function hitAt(x: number, y: number, safe: SafeAccess): Element | null {
  let hit = safe(document).elementFromPoint(x, y);
  while (hit) {
    const root = shadowRootOf(hit);
    const inner = root && safe(root).elementFromPoint(x, y);
    if (!inner || inner === hit) return hit;
    hit = inner;
  }
  return hit;
}

/** Runs in the page. The open shadow root of an element. */
export function shadowRootOf(element: Element): ShadowRoot | null {
  return Reflect.get<Element, 'shadowRoot'>(Element.prototype, 'shadowRoot', element);
}

/** Runs in the page. Whether `hit` is the element, is drawn in it, or belongs to the label of it. */
function isWithin(hit: Element, element: Element, safe: SafeAccess): boolean {
  const parentOf = (node: Node): Node | null => {
    const slot = node instanceof Element ? safe(node).assignedSlot : null;
    const parent = slot ?? safe(node).parentNode;
    return parent instanceof ShadowRoot ? parent.host : parent;
  };
  for (let node: Node | null = hit; node; node = parentOf(node)) {
    if (node === element) return true;
    if (node instanceof HTMLLabelElement && node.control === element) return true;
  }
  return false;
}

/** Runs in the page. The element as its start tag, with its id and classes alone. */
function describe(element: Element, safe: SafeAccess): string {
  const { localName, id } = safe(element);
  const classes = safe(element).getAttribute('class') ?? '';
  const attribute = (name: string, value: string): string =>
    value === '' ? '' : ` ${name}="${value.replace(/\s+/g, ' ').slice(0, 60)}"`;
  return `<${localName.slice(0, 40)}${attribute('id', id)}${attribute('class', classes)}>`;
}

/** Runs in the page. The field of a label; otherwise the element itself. */
export function targetOf(element: Element, safe: SafeAccess): Element {
  const control = element instanceof HTMLLabelElement ? safe(element).control : null;
  return control ?? element;
}

/** A point of a frame as a point of the document around it, in CSS px. */
export interface OuterPoint {
  readonly x: number;
  readonly y: number;
  /** What covers the frame there. */
  readonly coveredBy: string | null;
}

/** Runs on the element that embeds a frame. */
export const TO_OUTER: ElementScript<Offset, OuterPoint> = {
  run: toOuterPoint,
  uses: [hitAt, shadowRootOf, isWithin, describe],
};

/** Runs in the page. */
function toOuterPoint(owner: Element, inner: Offset, safe: SafeAccess): OuterPoint {
  const { left, top } = safe(owner).getBoundingClientRect();
  const { paddingLeft, paddingTop } = getComputedStyle(owner);
  const x = left + safe(owner).clientLeft + parseFloat(paddingLeft) + inner.x;
  const y = top + safe(owner).clientTop + parseFloat(paddingTop) + inner.y;
  const hit = hitAt(x, y, safe);
  const isOwn = hit !== null && isWithin(hit, owner, safe);
  return { x, y, coveredBy: isOwn ? null : hit ? describe(hit, safe) : 'the edge of the window' };
}
