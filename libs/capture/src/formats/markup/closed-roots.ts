import { inWorld, type IsolatedWorld, type SafeAccess } from '../../pipeline/in-page.js';

/** Elements that are looked at, of which each costs a round trip. */
const CANDIDATES = { count: 300, children: 100, chars: 5_000, elements: 100_000 } as const;

/** A closed shadow root may be in another one. */
const MAX_ROUNDS = 3;

/**
 * Makes the closed shadow roots of a document known to its isolated world, which scripts cannot reach: those of custom elements,
 * and of other elements that are empty, since a shadow root hides what is in its element. The symbols of other files that SVG
 * shows are in such a root, too.
 */
export async function findClosedRoots(world: IsolatedWorld): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const count = await inWorld(world, collectCandidates, CANDIDATES);
    if (count === 0) return;
    const candidates = await elementsOf(world);
    const found = await Promise.all(candidates.map((id) => addClosedRoot(world, id).catch(() => false)));
    if (!found.includes(true)) return;
  }
}

/** The ids of the elements that `collectCandidates` has kept. */
async function elementsOf({ cdp, executionContextId }: IsolatedWorld): Promise<string[]> {
  const { result } = await cdp.send('Runtime.evaluate', {
    expression: `globalThis[Symbol.for('candidates')]`,
    contextId: executionContextId,
  });
  if (result.objectId === undefined) return [];
  const { result: properties } = await cdp.send('Runtime.getProperties', {
    objectId: result.objectId,
    ownProperties: true,
  });
  return properties.flatMap(({ name, value }) =>
    /^\d+$/.test(name) && value?.objectId !== undefined ? value.objectId : [],
  );
}

async function addClosedRoot({ cdp, executionContextId }: IsolatedWorld, objectId: string): Promise<boolean> {
  const { node } = await cdp.send('DOM.describeNode', { objectId });
  const isSymbol = node.localName === 'use';
  const closed = node.shadowRoots?.find(
    ({ shadowRootType: type }) => type === 'closed' || (isSymbol && type === 'user-agent'),
  );
  if (!closed) return false;
  const { object } = await cdp.send('DOM.resolveNode', {
    backendNodeId: closed.backendNodeId,
    executionContextId,
  });
  await cdp.send('Runtime.callFunctionOn', {
    executionContextId,
    functionDeclaration: String(keepRoot),
    arguments: [{ objectId }, { objectId: object.objectId }],
  });
  return true;
}

/** Runs in the page. */
function keepRoot(element: Element, root: ShadowRoot): void {
  const world = globalThis as unknown as Record<symbol, Map<Element, ShadowRoot> | undefined>;
  (world[Symbol.for('closed roots')] ??= new Map()).set(element, root);
}

/** Runs in the page. Keeps the elements that may have a closed shadow root in its world; returns their number. */
function collectCandidates(limits: typeof CANDIDATES, safe: SafeAccess): number {
  const HOSTS = /^(?:article|aside|blockquote|div|footer|h[1-6]|header|main|nav|p|section|span)$/;
  const world = globalThis as unknown as Record<symbol, unknown>;
  const known = (world[Symbol.for('closed roots')] ??= new Map()) as Map<Element, ShadowRoot>;
  const isSmall = (element: Element): boolean => {
    let chars = 0;
    for (const { name, value } of element.attributes) chars += name.length + value.length;
    return element.childNodes.length <= limits.children && chars <= limits.chars;
  };
  const [custom, symbols, empty]: [Element[], Element[], Element[]] = [[], [], []];
  let left: number = limits.elements;
  const roots: (Document | ShadowRoot)[] = [document, ...known.values()];
  for (const root of roots) {
    const walker = safe(document).createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node && left > 0; node = walker.nextNode()) {
      left -= 1;
      const element = node as Element;
      // A form, whose names may shadow these properties, is no host.
      const { localName, shadowRoot } = element;
      if (shadowRoot instanceof ShadowRoot) roots.push(shadowRoot);
      else if (typeof localName !== 'string' || known.has(element)) continue;
      else if (localName === 'use') {
        if (!(element.getAttribute('href') ?? element.getAttribute('xlink:href') ?? '#').startsWith('#'))
          symbols.push(element);
      } else if (localName.includes('-')) custom.push(element);
      else if (HOSTS.test(localName) && !element.firstChild) empty.push(element);
    }
  }
  const found = [...custom, ...symbols, ...empty].filter(isSmall).slice(0, limits.count);
  world[Symbol.for('candidates')] = found;
  return found.length;
}
