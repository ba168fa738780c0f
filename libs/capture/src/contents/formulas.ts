import type { SafeAccess } from '../pipeline/in-page.js';
import type { Attributes } from './token.js';

/**
 * Runs in the page: a formula as LaTeX, where the element is one and the page has its source: in MathML, KaTeX, MathJax 2 and
 * the pictures of MediaWiki.
 */
export function formulaOf(
  element: Element,
  safe: SafeAccess,
): Required<Pick<Attributes, 'tex' | 'isDisplayed'>> | null {
  const own = safe(element);
  const isFormula =
    own.localName === 'math' ||
    own.matches('.katex, .MathJax, mjx-container, img[class*="mwe-math-fallback"]');
  if (!isFormula) return null;
  const annotation = own.querySelector('annotation[encoding="application/x-tex"]');
  const next = own.nextElementSibling;
  const script = next && /^math\/tex/.test(safe(next).getAttribute('type') ?? '') ? next : null;
  const source = annotation ?? script;
  const tex = source
    ? safe(source).textContent
    : (own.getAttribute('alttext') ?? own.getAttribute('alt') ?? own.getAttribute('data-latex') ?? '');
  if (tex.trim() === '') return null;
  const isDisplayed =
    own.matches(
      '[display=block], [display=true], .katex-display *, .MathJax_Display *, [class*="fallback-image-display"]',
    ) || /mode=display/.test((script && safe(script).getAttribute('type')) ?? '');
  const shown = tex.trim().slice(0, 10_000);
  return { tex: shown.replace(/^\{\\(?:displaystyle|textstyle) ([^]*)\}$/, '$1').trim(), isDisplayed };
}
