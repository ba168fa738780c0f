/**
 * Runs in the page: counts words. A word is a run of characters between white space that has a letter or digit. Chinese,
 * Japanese, Thai, Lao, Burmese and Khmer write no spaces: there the browser's dictionary decides.
 */
export class WordCounter {
  count = 0;
  /** The text so far ends within a word that has been counted. */
  private isInWord = false;
  private readonly segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

  /** Adds a text that continues the one before it. */
  add(text: string): void {
    text.split(/\s+/).forEach((run, i) => {
      if (i > 0) this.isInWord = false;
      if (
        /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\u{20000}-\u{3ffff}]/u.test(run)
      ) {
        for (const { isWordLike } of this.segmenter.segment(run)) if (isWordLike) this.count += 1;
      } else if (!this.isInWord && (/[a-z0-9]/i.test(run) || /[\p{L}\p{N}]/u.test(run))) {
        this.isInWord = true;
        this.count += 1;
      }
    });
  }

  /** What follows is not part of the same word. */
  break(): void {
    this.isInWord = false;
  }
}
