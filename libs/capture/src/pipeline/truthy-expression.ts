import { boundedScript, outcomeOf } from './bounded-script.js';
import { evaluateInMainWorld, type ScriptTarget } from './in-page.js';

/**
 * Whether an expression of the caller is truthy in the page. A promise is awaited, and a function is called.
 *
 * @throws PageScriptError with the message of what it threw
 */
export async function isTruthy(visit: ScriptTarget, expression: string): Promise<boolean> {
  // On lines of its own, so that a comment at its end does not affect the rest.
  const script = boundedScript(`const value = await (\n${expression.replace(/;\s*$/, '')}\n);
    return !!(typeof value === 'function' ? await value() : value);`);
  return outcomeOf(await evaluateInMainWorld(visit, script));
}
