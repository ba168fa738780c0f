import { MAX_TEXT } from '@app/kernel';
import { PageScriptError } from './in-page.js';

/**
 * The source of an expression that runs `body`, the body of an async function, in the page's own world and returns a
 * boolean or a short text, for `outcomeOf`. Chromium would transfer a whole result or error message, and a page can make
 * either 500 MB long.
 *
 * The page may have replaced any function. The code that handles a thrown value therefore calls none: it uses only
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
 * Whether the script returned `true`.
 *
 * @param result the value of a `boundedScript` expression
 * @throws PageScriptError with the message of what it threw
 */
export function outcomeOf(result: unknown): boolean {
  if (typeof result === 'string') throw new PageScriptError(result);
  return result === true;
}
