import { createHash } from 'node:crypto';
import { withTimeout } from '@app/kernel';
import type { Visit } from '../../pipeline/family.js';
import { inPage, type SafeAccess } from '../../pipeline/in-page.js';

/** Beyond these, a page's text counts as cut off here: the hash is of what comes before. */
const MAX_CHARACTERS = 1_000_000;
const MAX_NODES = 200_000;

/** A page that is busy for longer has no hash. */
const TIMEOUT_MS = 2_000;

/**
 * A hash of the words that the page shows, without those of ignored elements, as far as the page can be read in time; else
 * null. White space does not count, nor do the values of form fields and the contents of frames.
 */
export async function hashVisibleText(visit: Visit, ignored: readonly string[]): Promise<Buffer | null> {
  const argument = { ignored, maxCharacters: MAX_CHARACTERS, maxNodes: MAX_NODES };
  const reading = inPage(visit, readVisibleText, argument);
  // A later failure must not count as an unhandled rejection.
  const text: unknown = await withTimeout(reading, TIMEOUT_MS, 'reading the text').catch(() => undefined);
  if (typeof text !== 'string') return null;
  const words = text.slice(0, MAX_CHARACTERS).split(/\s+/).filter(Boolean);
  return createHash('sha256').update(words.join(' ')).digest();
}

/** Runs in the page. The text of displayed nodes, shadow roots included, in the order of the document. */
function readVisibleText(
  {
    ignored,
    maxCharacters,
    maxNodes,
  }: { ignored: readonly string[]; maxCharacters: number; maxNodes: number },
  safe: SafeAccess,
): string {
  const left = new Set<Node>();
  for (const selector of ignored) {
    try {
      for (const element of safe(document).querySelectorAll(selector)) left.add(element);
    } catch {
      // The boxes of a picture report a selector that the browser does not know.
    }
  }
  const unread = /^(?:script|style|noscript|template|textarea|select|title|iframe)$/i;
  let [nodes, text] = [0, ''];
  const open: Node[] = [safe(document).documentElement];
  for (let node = open.pop(); node && nodes < maxNodes && text.length < maxCharacters; node = open.pop()) {
    nodes += 1;
    if (node instanceof Text) text += node.data;
    if (!(node instanceof Element) || left.has(node)) continue;
    const element = safe(node);
    const { display, visibility } = getComputedStyle(node);
    if (display === 'none' || unread.test(element.localName)) continue;
    // Words are apart unless their elements stand in the same line.
    if (!display.startsWith('inline')) text += ' ';
    const isShown = visibility === 'visible' && element.checkVisibility({ opacityProperty: true });
    const { shadowRoot } = element;
    const children = [...(shadowRoot ? shadowRoot.childNodes : []), ...element.childNodes];
    // A child of a hidden element may be visible; its text is not.
    for (const child of children.reverse()) if (isShown || child instanceof Element) open.push(child);
  }
  return text;
}
