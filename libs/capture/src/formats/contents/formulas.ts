import type { SafeAccess } from '../../pipeline/in-page.js';
import type { Attributes } from './token.js';

/**
 * Runs in the page: a formula where the element is one, as LaTeX where the page has its source: in MathML, KaTeX, MathJax and
 * the pictures of MediaWiki; otherwise as the MathML that the browser or a screen reader sees.
 */
export function formulaOf(
  element: Element,
  safe: SafeAccess,
): Pick<Attributes, 'tex' | 'mathml' | 'isDisplayed'> | null {
  const own = safe(element);
  const isScript = own.matches('script[type^="math/tex"]');
  const isPicture = own.localName === 'img';
  const isFormula =
    own.matches('math, .katex, .MathJax, mjx-container, img[class*="mwe-math-fallback"]') ||
    isScript ||
    isPicture;
  if (!isFormula) return null;
  const annotation = own.querySelector('annotation[encoding="application/x-tex"]');
  const next = isScript ? element : isPicture ? null : own.nextElementSibling;
  const script = next && /^math\/tex/.test(safe(next).getAttribute('type') ?? '') ? next : null;
  const source = annotation ?? script;
  const tex = (source ? safe(source).textContent : givenTex(element, safe)).trim().slice(0, 10_000);
  const isDisplayed =
    own.matches(
      '[display=block], [display=true], .katex-display *, .MathJax_Display *, [class*="fallback-image-display"]',
    ) || /mode=display/.test((script && safe(script).getAttribute('type')) ?? '');
  if (tex !== '')
    return { tex: tex.replace(/^\{\\(?:displaystyle|textstyle) ([^]*)\}$/, '$1').trim(), isDisplayed };
  if (isPicture) return null;
  const math = own.localName === 'math' ? element : own.querySelector('math');
  const mathml = math ? new XMLSerializer().serializeToString(math) : (own.getAttribute('data-mathml') ?? '');
  return mathml === '' ? null : { mathml: mathml.slice(0, 20_000), isDisplayed };
}

/**
 * Runs in the page: the LaTeX that attributes of a formula give, or those of the element that a script made it in. A picture is a
 * formula when its description or its address is LaTeX, as with services that draw formulas.
 */
export function givenTex(element: Element, safe: SafeAccess): string {
  const names = ['data-math', 'data-tex', 'data-latex'];
  const own = safe(element);
  const parent = own.parentElement && safe(own.parentElement);
  const first = (one: Element | null, keys: readonly string[]): string =>
    keys.map((key) => one?.getAttribute(key) ?? '').find((value) => value !== '') ?? '';
  const given = first(own, ['alttext', 'alt', ...names]);
  if (own.localName !== 'img' || own.matches('[class*="mwe-math-fallback"]'))
    return given === '' ? first(parent, names) : given;
  const command =
    /\\(?:[a-z]+\{|(?:begin|frac|sqrt|sum|int|prod|alpha|beta|gamma|theta|lambda|pi|sigma|left)(?![a-z]))/i;
  if (given !== '') return command.test(given) ? given : '';
  const address = (own as HTMLImageElement).src;
  if (!address.includes('%5C') || address.length > 8_192) return '';
  try {
    const { search, pathname } = new URL(address);
    const written = search === '' ? pathname.slice(pathname.lastIndexOf('/') + 1) : search.slice(1);
    const values = written.split('&').map((each) => decodeURIComponent(each.replace(/^\w+=/, '')));
    return values.find((value) => command.test(value)) ?? '';
  } catch {
    return '';
  }
}

/** Runs in the page: whether an element is the source of a formula that no script has drawn. */
export function isUndrawnTex(element: Element, safe: SafeAccess): boolean {
  const own = safe(element);
  if (own.localName !== 'script' || !/^math\/tex/.test(own.getAttribute('type') ?? '')) return false;
  const before = own.previousElementSibling && safe(own.previousElementSibling);
  return (
    !before ||
    !/^(MathJax|mjx)/i.test(before.getAttribute('class') ?? before.localName) ||
    before.textContent === ''
  );
}

/** Runs in the page: MathML as one line of text, such as `x = (−b ± √(b^2 − 4ac))/(2a)`. */
export function formulaText(element: Element, safe: SafeAccess, depth = 0): string {
  const MAX_DEPTH = 50;
  const own = safe(element);
  const name = own.localName;
  const parts = (depth > MAX_DEPTH ? [] : [...own.children]).filter(
    (part) => !/^annotation/.test(safe(part).localName),
  );
  const texts = parts.map((part) => formulaText(part, safe, depth + 1));
  const [base = '', first = '', second = ''] = texts.map((text, i) =>
    parts[i]?.childElementCount === 0 || [...text].length < 2 ? text : `(${text})`,
  );
  if (parts.length === 0) {
    const text = own.textContent.replace(/\s+/g, ' ').trim();
    const isBetween = own.previousElementSibling !== null && /^[=≠<>≤≥≈≡∼±∓+−×÷·∈∉⊂⊆→⇒⇔↦-]$/.test(text);
    return name === 'mtext' ? own.textContent.replace(/\s+/g, ' ') : isBetween ? ` ${text} ` : text;
  }
  if (name === 'mfrac') return `${base}/${first}`;
  if (name === 'msup' || name === 'mover') return `${base}^${first}`;
  if (name === 'msub' || name === 'munder') return `${base}_${first}`;
  if (name === 'msubsup' || name === 'munderover') return `${base}_${first}^${second}`;
  if (name === 'mroot') return `${base}^(1/${first})`;
  if (name === 'mtr') return `${texts.join(', ')}; `;
  const inside = texts.join('');
  return name === 'msqrt' ? `√(${inside})` : inside;
}

/** What finds formulas in the page. */
export const FORMULAS = [formulaOf, givenTex, isUndrawnTex, formulaText];
