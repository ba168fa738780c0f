import { setTimeout as delay } from 'node:timers/promises';
import type { Protocol } from 'puppeteer';
import { AppError, boundText } from '@app/kernel';
import type { Visit } from './family.js';

/** What a page may be asked through: enough of a visit. */
export type ScriptTarget = Pick<Visit, 'cdp' | 'signal'>;

/** A script threw in the page; the message is the page's own, cut to what a record holds. */
export class PageScriptError extends Error {
  override readonly name = 'PageScriptError';

  constructor(message: string) {
    super(boundText('message', message));
  }
}

/** A page that navigates takes the answer with it; asked this often anew, it is navigating without end. */
const MAX_TRIES = 20;
const RETRY_DELAY_MS = 50;

/**
 * A node without the names that a page can put over its properties: `<img name="body">` stands in the place of
 * `document.body`, and an input in the place of its form's properties, in every world.
 */
export type SafeAccess = <T extends Node>(node: T) => T;

/**
 * Runs a function in the page and hands back what it returns, as JSON.
 *
 * It runs in a world of its own: a page that redefines `Array.from` or `scrollTo`, or in which JavaScript is turned
 * off, does not break it. Timers, however, do not fire there without JavaScript: waiting is the caller's part.
 *
 * The document may be XML, or have no element at all, and properties of the document and of forms are only safe
 * through `safe`.
 *
 * @throws PageScriptError; AppError `capture_timeout` when the page navigates without end
 */
export async function inPage<Argument, Result>(
  visit: ScriptTarget,
  run: (argument: Argument, safe: SafeAccess) => Result | Promise<Result>,
  argument: Argument,
): Promise<Result> {
  return ask(visit, async () => {
    const { frameTree } = await visit.cdp.send('Page.getFrameTree');
    const { executionContextId } = await visit.cdp.send('Page.createIsolatedWorld', {
      frameId: frameTree.frame.id,
      worldName: 'capture',
    });
    return visit.cdp.send('Runtime.callFunctionOn', {
      executionContextId,
      functionDeclaration: `function (argument) { return (${run.toString()})(argument, ${safe.toString()}); }`,
      arguments: [{ value: argument }],
      returnByValue: true,
      awaitPromise: true,
    });
  });
}

/** Runs in the page: reads and writes past the node itself, on its prototypes, which a page cannot touch there. */
function safe<T extends Node>(node: T): T {
  return new Proxy(node, {
    get: (target, name) => {
      const value: unknown = Reflect.get(Object.getPrototypeOf(target) as object, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
    set: (target, name, value) => Reflect.set(Object.getPrototypeOf(target) as object, name, value, target),
  });
}

/**
 * The value of a JavaScript expression among the page's own scripts, a promise awaited; as JSON.
 *
 * @throws PageScriptError
 */
export async function evaluateInMainWorld(visit: ScriptTarget, expression: string): Promise<unknown> {
  return ask(visit, () =>
    visit.cdp.send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true }),
  );
}

interface Answer {
  readonly result: Protocol.Runtime.RemoteObject;
  readonly exceptionDetails?: Protocol.Runtime.ExceptionDetails;
}

async function ask<Result>(visit: ScriptTarget, send: () => Promise<Answer>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      const { result, exceptionDetails } = await send();
      if (exceptionDetails) throw new PageScriptError(messageOf(exceptionDetails));
      return result.value as Result;
    } catch (error) {
      // The page navigated while it was asked. A closed one throws another class.
      const navigated = error instanceof Error && error.name === 'ProtocolError';
      if (!navigated) throw error;
      if (tries === MAX_TRIES) throw endlessNavigation(error);
      await delay(RETRY_DELAY_MS, undefined, { signal: visit.signal });
    }
  }
}

export function endlessNavigation(cause?: unknown): AppError {
  return new AppError('capture_timeout', {
    detail: 'The page navigates from address to address without end.',
    cause,
  });
}

/** What was thrown, on one line. */
export function messageOf({ exception, text }: Protocol.Runtime.ExceptionDetails): string {
  const thrown =
    exception?.description ?? (exception && 'value' in exception ? String(exception.value) : text);
  // The first line: below it is a stack.
  return thrown.split('\n', 1)[0] ?? text;
}
