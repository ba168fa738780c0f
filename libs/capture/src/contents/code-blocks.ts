import type { SafeAccess } from '../pipeline/in-page.js';

/** Runs in the page: whether an element holds the line numbers of the code beside it. */
export function isCodeGutter(element: Element, safe: SafeAccess): boolean {
  const own = safe(element);
  const around = own.parentElement ? safe(own.parentElement).getAttribute('class') : '';
  if (!/gutter|lineno|line-?num/i.test(`${own.getAttribute('class') ?? ''} ${around ?? ''}`)) return false;
  return /^[\d\s]*$/.test(own.textContent.slice(0, 10_000));
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
