import { MathMLToLaTeX } from 'mathml-to-latex';

/** Characters of MathML that are converted in one document, which takes up to a second. */
const MAX_CHARS = 400_000;

/** Converts the formulas of a document, whose MathML may be anything. */
export class LatexConverter {
  private chars = 0;

  /** A formula as LaTeX on one line; its symbols one after the other where it is no MathML, or there is too much of it. */
  convert(mathml: string): string {
    this.chars += mathml.length;
    const latex = this.chars > MAX_CHARS ? '' : convert(mathml);
    return (latex || mathml.replace(/<[^>]*>?/g, ' ')).replace(/\s+/g, ' ').trim();
  }
}

function convert(mathml: string): string {
  try {
    // A source in another language is not part of the formula.
    return MathMLToLaTeX.convert(mathml.replace(/<annotation[^]*?<\/annotation[^>]*>/g, ''));
  } catch {
    return '';
  }
}
