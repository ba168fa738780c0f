import type { Env } from '@app/config';
import { undrawnLetters, withTimeout } from '@app/kernel';
import { withBrowser } from './try-browser.js';

/** It takes less than a second, and on a busy machine several. */
const DRAW_TIMEOUT_MS = 20_000;

/** Letters to be drawn together, such as those of a script. */
export interface NamedLetters {
  readonly name: string;
  readonly letters: readonly string[];
  /** Whether it takes a font with colours, as emoji do. */
  readonly isColoured?: boolean;
}

/**
 * Starts the browser of the environment like the worker, and draws letters with the fonts of the machine. Resolves to the names
 * of those of which at least one is a box.
 *
 * @throws BrowserNotFoundError
 * @throws BrowserStartError with the output of the browser
 */
export async function tryWords(env: Env, words: readonly NamedLetters[]): Promise<string[]> {
  const source = `(${namesInBoxes.toString()})(${JSON.stringify(words)}, ${undrawnLetters.toString()})`;
  return withBrowser(env, (browser) =>
    withTimeout(browser.evaluate<string[]>(source), DRAW_TIMEOUT_MS, 'drawing letters in the browser'),
  );
}

/** Runs in the page. */
function namesInBoxes(words: readonly NamedLetters[], undrawn: typeof undrawnLetters): string[] {
  const font = '24px sans-serif';
  const isGrey = (letter: string): boolean => {
    const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    if (!context) return false;
    context.font = font;
    context.fillText(letter, 16, 48);
    const { data } = context.getImageData(0, 0, 64, 64);
    return data.every((value, index) => index % 4 === 3 || value === data[index - (index % 4)]);
  };
  return words
    .filter(
      ({ letters, isColoured }) =>
        undrawn({ letters, font }).length > 0 || (isColoured === true && letters.some(isGrey)),
    )
    .map(({ name }) => name);
}
