import type { SafeAccess } from '../../pipeline/in-page.js';

/** Runs in the page: whether a `pre` holds nothing but the line numbers of the code beside it, as tables of highlighters do. */
export function isCodeGutter(element: Element, safe: SafeAccess): boolean {
  const own = safe(element);
  const text = own.textContent.slice(0, 10_000);
  if (!/^[\d\s]+$/.test(text)) return false;
  const around = own.parentElement ? safe(own.parentElement).getAttribute('class') : '';
  if (/gutter|lineno|line-?num/i.test(`${own.getAttribute('class') ?? ''} ${around ?? ''}`)) return true;
  const numbers = text.trim().split(/\s+/).map(Number);
  if (numbers.some((each, i) => each !== (numbers[0] ?? 0) + i)) return false;
  const row = own.closest('tr') ?? own.parentElement;
  const beside = [...(row ? safe(row).querySelectorAll('pre') : [])].filter((each) => each !== element);
  return beside.some((each) => safe(each).textContent.trimEnd().split('\n').length === numbers.length);
}

/**
 * Runs in the page: the line numbers within a code block, which nobody wants in a copy of the code: what is called so or cannot
 * be selected, and numbers that count up at the beginnings of nearly all lines.
 */
export function lineNumbersIn(element: Element, safe: SafeAccess): Element[] {
  const MAX_ELEMENTS = 50_000;
  const isSelectable = getComputedStyle(element).userSelect !== 'none';
  const found: Element[] = [];
  const alike = new Map<string, Element[]>();
  for (const each of [...safe(element).querySelectorAll('*')].slice(0, MAX_ELEMENTS)) {
    const own = safe(each);
    if (own.childElementCount > 0 || !/^\s*\d{1,6}[\s.:|]*$/.test(own.textContent.slice(0, 20))) continue;
    const classes = own.getAttribute('class') ?? '';
    const isNamed = /gutter|line-?no|line-?num|(^|\s)lnt?(\s|$)/i.test(classes);
    if (isNamed || (isSelectable && getComputedStyle(each).userSelect === 'none')) found.push(each);
    else {
      const kind = `${own.localName} ${classes}`;
      const column = alike.get(kind);
      if (column) column.push(each);
      else alike.set(kind, [each]);
    }
  }
  for (const column of alike.values()) if (isNumbering(element, column, safe)) found.push(...column);
  return found;
}

/** Runs in the page: whether elements in a code block number its lines. */
export function isNumbering(block: Element, column: readonly Element[], safe: SafeAccess): boolean {
  const text = safe(block).textContent;
  const [first] = column;
  if (first === undefined || column.length < 2 || column.length < text.split('\n').length - 2) return false;
  const [start, chars] = [
    parseInt(safe(first).textContent, 10),
    column.map((each) => safe(each).textContent).join(''),
  ];
  if (text.replace(/\s/g, '').length === chars.replace(/\s/g, '').length) return false;
  return column.every((each, i) => {
    const before = safe(each).previousSibling;
    const isFirst =
      !before || /\n\s*$|^\s*$/.test(safe(before).textContent ?? '') || before.nodeName === 'BR';
    return isFirst && parseInt(safe(each).textContent, 10) === start + i;
  });
}

/** Runs in the page: the language of a code block, as highlighters and documentation generators name it in classes. */
export function codeLanguage(element: Element, safe: SafeAccess): string | undefined {
  const own = safe(element);
  const parent = own.parentElement;
  const near = [element, own.querySelector('code'), parent, parent && safe(parent).parentElement];
  // language-js, lang-js, highlight-source-js, highlight-js, brush: js; sourceCode js, hljs js.
  const prefixed =
    /(?:^|\s)(?:language|lang|highlight-source|highlight-text|highlight|brush:)[-\s]?([\w+#.]{1,30})(?=[\s;]|$)/;
  const following = /(?:^|\s)(?:sourceCode|hljs|src)\s+(?:src-)?([\w+#-]{1,30})(?:\s|$)/;
  const none = /^(none|plain|plaintext|nohighlight|default|auto|wrapper|box|block|code)$/i;
  for (const each of near) {
    if (!each) continue;
    const it = safe(each);
    const given = (it.getAttribute('data-lang') ?? it.getAttribute('data-language') ?? '').trim();
    const classes = (it.getAttribute('class') ?? '').slice(0, 500);
    const named = /^[\w+#.-]{1,30}$/.test(given) ? given : undefined;
    const found = named ?? prefixed.exec(classes)?.[1] ?? following.exec(classes)?.[1];
    if (found !== undefined && !none.test(found)) return found.toLowerCase();
  }
  return undefined;
}

/** What finds line numbers in the page. */
export const NUMBERING = [isCodeGutter, lineNumbersIn, isNumbering];
