import type { Protocol } from 'puppeteer';
import { safe, type IsolatedWorld, type SafeAccess } from '../pipeline/in-page.js';
import { shadowRootOf } from './element-look.js';
import { OBJECT_GROUP, type PageElement } from './page-element.js';
import { StepProblem } from './problem.js';
import { parseSelector, type SelectorPart } from './selector.js';

/** More elements are no answer to a question about names. */
const MAX_BY_NAME = 50;
const MAX_ROOTS = 20;

/**
 * The element that the first of these selectors finds which finds one that is displayed; otherwise one that is not. Null when
 * nothing matches.
 *
 * @throws StepProblem `unknown_selector`; ProtocolError when the document is gone
 */
export async function findElement(
  world: IsolatedWorld,
  selectors: readonly string[],
): Promise<PageElement | null> {
  let hidden: PageElement | null = null;
  for (const selector of selectors) {
    for (const parts of parseSelector(selector)) {
      const found = await firstOf(world, await findAll(world, parts, selector));
      if (found?.isDisplayed === true) return found.element;
      hidden ??= found?.element ?? null;
    }
  }
  return hidden;
}

/** The number of elements that a selector finds. */
export async function countElements(world: IsolatedWorld, selector: string): Promise<number> {
  let count = 0;
  for (const parts of parseSelector(selector)) {
    const objectId = await findAll(world, parts, selector);
    const { result } = await world.cdp.send('Runtime.callFunctionOn', {
      objectId,
      functionDeclaration: 'function () { return this.length }',
      returnByValue: true,
    });
    count += Number(result.value);
  }
  return count;
}

/** The elements that a chain of parts finds, as the id of a list in the browser. */
async function findAll(
  world: IsolatedWorld,
  parts: readonly SelectorPart[],
  selector: string,
): Promise<string> {
  let found: string | null = null;
  for (const part of parts) {
    found = await (part.kind === 'aria' ? findByName(world, part, found) : findPart(world, part, found));
    if (found === null) throw new StepProblem('unknown_selector', `the browser does not know ${selector}`);
  }
  return found ?? '';
}

async function findPart(
  { cdp, executionContextId }: IsolatedWorld,
  part: SelectorPart,
  roots: string | null,
): Promise<string | null> {
  const uses = [openRoots, shadowRootOf, elementsByText].map(String).join('\n');
  const { result, exceptionDetails } = await cdp.send('Runtime.callFunctionOn', {
    executionContextId,
    functionDeclaration: `function (part, roots) { ${uses}
      return (${expandPart.toString()})(part, roots, ${safe.toString()}); }`,
    arguments: [{ value: part }, roots === null ? { value: null } : { objectId: roots }],
    objectGroup: OBJECT_GROUP,
  });
  return exceptionDetails ? null : (result.objectId ?? null);
}

/** Runs in the page. The elements that a part finds in these, or in the document. */
function expandPart(part: SelectorPart, given: Element[] | null, safe: SafeAccess): Element[] {
  const { kind, value, reach } = part;
  const starts: (Document | Element)[] = given ?? [document];
  const roots = starts.flatMap((start) => openRoots(start, reach, safe));
  const found = new Set<Element>();
  for (const root of roots) {
    if (kind === 'text') for (const element of elementsByText(root, value, safe)) found.add(element);
    else if (kind === 'xpath') {
      const matches = safe(document).evaluate(value, root, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE);
      for (let at = 0; at < Math.min(matches.snapshotLength, 1_000); at += 1) {
        const node = matches.snapshotItem(at);
        if (node instanceof Element) found.add(node);
      }
    } else {
      const scoped = root instanceof Element && /^[>+~]/.test(value) ? `:scope ${value}` : value;
      for (const element of safe(root).querySelectorAll(scoped)) found.add(element);
    }
  }
  return [...found];
}

/** Runs in the page. Where a part looks: the element itself, its shadow root, or also all open shadow roots in it. */
function openRoots(
  start: Document | Element | ShadowRoot,
  reach: SelectorPart['reach'],
  safe: SafeAccess,
): (Document | Element | ShadowRoot)[] {
  const own = start instanceof Element ? shadowRootOf(start) : null;
  if (reach === 'inside') return [start];
  if (reach === 'root') return own ? [own] : [start];
  const roots: (Document | Element | ShadowRoot)[] = own ? [start, own] : [start];
  for (const root of roots) {
    for (const element of safe(root).querySelectorAll('*')) {
      const inner = shadowRootOf(element);
      if (inner && roots.length < 1_000) roots.push(inner);
    }
  }
  return roots;
}

/**
 * Runs in the page. The innermost elements with the text, in the open shadow roots, too. Runs of white space count as one
 * space. The value of a button counts as its text.
 */
function elementsByText(start: Document | Element | ShadowRoot, text: string, safe: SafeAccess): Element[] {
  const plain = (value: string | null): string => (value ?? '').replace(/\s+/g, ' ');
  const wanted = plain(text);
  const unseen = 'script,style,template,noscript,head';
  const has = (node: Node): boolean => {
    if (!plain(safe(node).textContent).includes(wanted)) return false;
    const parent = node as Document | Element | ShadowRoot;
    if (safe(parent).querySelector(unseen) === null) return true;
    const walker = safe(document).createTreeWalker(node, NodeFilter.SHOW_TEXT);
    const parts: string[] = [];
    for (let part = walker.nextNode(); part; part = walker.nextNode()) {
      if (!part.parentElement?.closest(unseen)) parts.push((part as Text).data);
    }
    return plain(parts.join('')).includes(wanted);
  };
  const found: Element[] = [];
  for (const root of openRoots(start, 'deep', safe)) {
    const open: Node[] = [root];
    for (let node = open.pop(); node && found.length < 1_000; node = open.pop()) {
      const children = [...safe(node).childNodes].filter((child) => child instanceof Element);
      const inner = children.filter((child) => !safe(child).matches(unseen) && has(child));
      if (inner.length > 0) open.push(...inner.reverse());
      else if (node instanceof Element && has(node)) found.push(node);
    }
    for (const input of safe(root).querySelectorAll('input:is([type=submit],[type=button],[type=reset])')) {
      if (safe(input as HTMLInputElement).value.includes(wanted)) found.push(input);
    }
  }
  return found;
}

/** Finds elements as assistive technology does. */
async function findByName(
  world: IsolatedWorld,
  { value, role }: SelectorPart,
  roots: string | null,
): Promise<string | null> {
  const { cdp, executionContextId } = world;
  const nodes: Protocol.Accessibility.AXNode[] = [];
  for (const objectId of await rootsOf(world, roots)) {
    const answer = await cdp.send('Accessibility.queryAXTree', {
      objectId,
      ...(value !== '' && { accessibleName: value }),
      ...(role !== undefined && { role }),
    });
    nodes.push(...answer.nodes);
  }
  const elements = nodes
    .filter((node) => !node.ignored && !TEXT_ROLES.has(String(node.role?.value)))
    .flatMap(({ backendDOMNodeId }) => backendDOMNodeId ?? [])
    .slice(0, MAX_BY_NAME);
  const objects = await Promise.all(
    elements.map((backendNodeId) =>
      cdp.send('DOM.resolveNode', { backendNodeId, executionContextId, objectGroup: OBJECT_GROUP }),
    ),
  );
  const { result } = await cdp.send('Runtime.callFunctionOn', {
    executionContextId,
    functionDeclaration:
      'function (...elements) { return elements.filter((each) => each instanceof Element) }',
    arguments: objects.map(({ object }) => ({ objectId: object.objectId ?? '' })),
    objectGroup: OBJECT_GROUP,
  });
  return result.objectId ?? null;
}

const TEXT_ROLES: ReadonlySet<string> = new Set(['StaticText', 'InlineTextBox']);

async function rootsOf({ cdp, executionContextId }: IsolatedWorld, roots: string | null): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < (roots === null ? 1 : MAX_ROOTS); at += 1) {
    const { result } = await cdp.send('Runtime.callFunctionOn', {
      executionContextId,
      functionDeclaration: 'function (roots, at) { return roots ? roots[at] : document }',
      arguments: [roots === null ? { value: null } : { objectId: roots }, { value: at }],
      objectGroup: OBJECT_GROUP,
    });
    if (result.objectId === undefined) break;
    ids.push(result.objectId);
  }
  return ids;
}

interface Found {
  readonly element: PageElement;
  readonly isDisplayed: boolean;
}

/** The first element of a list that is displayed, or else the first. */
async function firstOf(world: IsolatedWorld, objectId: string): Promise<Found | null> {
  const { result } = await world.cdp.send('Runtime.callFunctionOn', {
    objectId,
    functionDeclaration: `function () { return (${indexOfFirst.toString()})(this, ${safe.toString()}); }`,
    returnByValue: true,
  });
  const [index, isDisplayed] = result.value as [number, boolean];
  if (index === -1) return null;
  const { result: element } = await world.cdp.send('Runtime.callFunctionOn', {
    objectId,
    functionDeclaration: 'function (at) { return this[at] }',
    arguments: [{ value: index }],
    objectGroup: OBJECT_GROUP,
  });
  return { element: { world, objectId: element.objectId ?? '' }, isDisplayed };
}

/** Runs in the page. */
function indexOfFirst(elements: Element[], safe: SafeAccess): [index: number, isDisplayed: boolean] {
  const displayed = elements.findIndex((element) => {
    const { width, height } = safe(element).getBoundingClientRect();
    return width > 0 && height > 0 && safe(element).checkVisibility({ visibilityProperty: true });
  });
  return displayed >= 0 ? [displayed, true] : [elements.length > 0 ? 0 : -1, false];
}
