/** Letters, and the font of the text that holds them, as CSS writes it: `italic 400 24px Georgia, serif`. */
export interface LettersOfFont {
  readonly letters: readonly string[];
  readonly font: string;
}

/**
 * Runs in a page, and depends on nothing else. The letters that none of the fonts has, nor any font that the browser falls back
 * to: it draws the box of the first font in their place, as it does for a code point that is no character. Lists of what
 * fonts contain are not asked: some list a letter without a shape, and they know nothing of the page's own fonts.
 *
 * A letter as wide as the box costs 0.2 ms, any other one less.
 */
export function undrawnLetters({ letters, font }: LettersOfFont): string[] {
  const size = 64;
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = size;
  // Without a document's browsing context, and in a page with too many canvases, there is none.
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) return [];
  context.font = font;
  const draw = (letter: string): Uint32Array => {
    context.clearRect(0, 0, size, size);
    context.fillText(letter, size / 4, (size * 3) / 4);
    return new Uint32Array(context.getImageData(0, 0, size, size).data.buffer);
  };
  const noCharacter = '\u{10ffff}';
  const { width } = context.measureText(noCharacter);
  const box = draw(noCharacter);
  // Fonts that hide all text have every code point, without a shape and a width.
  if (width === 0) return [];
  return letters.filter((letter) => {
    if (context.measureText(letter).width !== width) return false;
    return draw(letter).every((pixel, index) => pixel === box[index]);
  });
}
