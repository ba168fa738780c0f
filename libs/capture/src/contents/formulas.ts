import type { SafeAccess } from '../pipeline/in-page.js';
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
  const isFormula =
    own.localName === 'math' ||
    own.matches('.katex, .MathJax, mjx-container, img[class*="mwe-math-fallback"]');
  if (!isFormula) return null;
  const annotation = own.querySelector('annotation[encoding="application/x-tex"]');
  const next = own.nextElementSibling;
  const script = next && /^math\/tex/.test(safe(next).getAttribute('type') ?? '') ? next : null;
  const source = annotation ?? script;
  const named = ['alttext', 'alt', 'data-latex', 'data-math', 'data-tex'];
  const given = named.map((name) => own.getAttribute(name)).find((value) => value !== null);
  const tex = (source ? safe(source).textContent : (given ?? '')).trim().slice(0, 10_000);
  const isDisplayed =
    own.matches(
      '[display=block], [display=true], .katex-display *, .MathJax_Display *, [class*="fallback-image-display"]',
    ) || /mode=display/.test((script && safe(script).getAttribute('type')) ?? '');
  if (tex !== '')
    return { tex: tex.replace(/^\{\\(?:displaystyle|textstyle) ([^]*)\}$/, '$1').trim(), isDisplayed };
  const math = own.localName === 'math' ? element : own.querySelector('math');
  const mathml = math ? new XMLSerializer().serializeToString(math) : (own.getAttribute('data-mathml') ?? '');
  return mathml === '' ? null : { mathml: mathml.slice(0, 20_000), isDisplayed };
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
