import type { MissingProbe, MissingSigns } from './read-missing.js';

/** So many letters of a block that are all there stand for the whole block. */
const SAMPLE = 16;
/** Characters that a page is sent. Beyond them, letters are drawn again. */
const MAX_LETTERS = 2_000;

interface Block {
  readonly drawn: Set<string>;
  isPartial: boolean;
}

/**
 * The letters that the fonts of the machine are known to have, by blocks of 128 code points: a script that pages have shown needs
 * no further look, and a block of which a letter is lacking is never known as a whole.
 */
export class FontCoverage {
  private readonly blocks = new Map<number, Block>();

  known(): Pick<MissingProbe, 'letters' | 'blocks'> {
    const whole = [...this.blocks].filter(([, block]) => isWhole(block)).map(([number]) => number);
    const single = [...this.blocks.values()].filter((block) => !isWhole(block));
    const letters = single.flatMap(({ drawn }) => [...drawn]).slice(0, MAX_LETTERS);
    return { letters: letters.join(''), blocks: whole };
  }

  noteSigns({ drawn, lacking }: Pick<MissingSigns, 'drawn' | 'lacking'>): void {
    for (const letter of drawn) this.blockOf(letter).drawn.add(letter);
    for (const letter of lacking) this.blockOf(letter).isPartial = true;
  }

  private blockOf(letter: string): Block {
    const number = (letter.codePointAt(0) ?? 0) >> 7;
    const block = this.blocks.get(number) ?? { drawn: new Set(), isPartial: false };
    this.blocks.set(number, block);
    return block;
  }
}

function isWhole({ drawn, isPartial }: Block): boolean {
  return drawn.size >= SAMPLE && !isPartial;
}

/** One for the process, because fonts do not change while it runs. */
export const INSTALLED_FONTS = new FontCoverage();
