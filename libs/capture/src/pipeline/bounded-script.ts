import { MAX_TEXT } from '@app/kernel';
import { PageScriptError } from './in-page.js';

/**
 * The source of an expression that runs `body`, the body of an async function, among the page's own scripts, and tells
 * what became of it by no more than a boolean or a short text, for `outcomeOf`. Chromium would send a whole result, or the
 * whole message of an error: a page can make either 500 MB long.
 *
 * The page may have replaced every function that there is. What handles a thrown value therefore calls none: it uses the
 * operators of the language, and the length and characters of primitive strings.
 */
export function boundedScript(body: string): string {
  return `(async () => {
    const firstLineOf = (text) => {
      let line = '';
      for (let i = 0; i < text.length && i <= ${MAX_TEXT.message} && text[i] !== '\\n'; i += 1) line += text[i];
      return line;
    };
    try {
      return await (async () => {\n${body}\n})() === true;
    } catch (thrown) {
      try {
        if (typeof thrown === 'symbol') return 'a symbol';
        if ((typeof thrown !== 'object' && typeof thrown !== 'function') || thrown === null) return firstLineOf('' + thrown);
        const { name, message } = thrown;
        if (typeof message !== 'string') return 'an object without a message';
        return (typeof name === 'string' && name !== '' ? firstLineOf(name) + ': ' : '') + firstLineOf(message);
      } catch {
        return 'an object whose message cannot be read';
      }
    }
  })()`;
}

/**
 * What the script returned, as a truth.
 *
 * @param answer the value of a `guarded` expression
 * @throws PageScriptError with what it threw
 */
export function outcomeOf(answer: unknown): boolean {
  if (typeof answer === 'string') throw new PageScriptError(answer);
  return answer === true;
}
