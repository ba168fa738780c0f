import { inWorld, type IsolatedWorld, type SafeAccess } from '../../pipeline/in-page.js';
import { endsInTime, withDeadline } from '../../pipeline/wait.js';

const SHEETS = { count: 30, chars: 2_000_000 } as const;
const READ_MS = 2_000;

/**
 * Makes the linked style sheets that scripts have changed known to the isolated world of a document. The browser does not
 * report which they are, so that their rules are compared with the text in its cache; a style sheet that is not in it counts as
 * unchanged, and so does one whose rules scripts may not read.
 */
export async function findChangedSheets(world: IsolatedWorld): Promise<void> {
  const deadline = { until: performance.now() + READ_MS, message: 'the style sheets' };
  await endsInTime(withDeadline(deadline, inWorld(world, keepChanged, SHEETS)));
}

/** Runs in the page. */
async function keepChanged(limits: typeof SHEETS, safe: SafeAccess): Promise<void> {
  const changed = new WeakSet<object>();
  (globalThis as unknown as Record<symbol, unknown>)[Symbol.for('changed sheets')] = changed;
  const textOf = ({ cssRules }: CSSStyleSheet): string =>
    // A constructed style sheet has no imports.
    [...cssRules].flatMap((rule) => (rule instanceof CSSImportRule ? [] : rule.cssText)).join('\n');
  const isSame = async (sheet: CSSStyleSheet, url: string): Promise<boolean> => {
    const rules = textOf(sheet);
    // oxlint-disable-next-line house/egress-in-one-place -- it runs in the page, and asks only the browser's cache
    const response = await fetch(url, { cache: 'only-if-cached', mode: 'same-origin' });
    const text = await response.text();
    if (!response.ok || text.length > limits.chars) return true;
    const unchanged = new CSSStyleSheet();
    unchanged.replaceSync(text);
    return textOf(unchanged) === rules;
  };
  const origin = `${location.origin}/`;
  const linked = [...safe(document).styleSheets].filter(({ href }) => href?.startsWith(origin) === true);
  const looking = linked.slice(0, limits.count).map(async (sheet) => {
    if (!(await isSame(sheet, sheet.href ?? '').catch(() => true))) changed.add(sheet);
  });
  await Promise.all(looking);
}
