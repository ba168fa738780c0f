import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession, Protocol } from 'puppeteer';
import { AppError, boundText } from '@app/kernel';
import type { Visit } from './family.js';
import { frameIdOf } from './frame-sessions.js';

/** The part of a visit that running a script needs. */
export type ScriptTarget = Pick<Visit, 'mainFrame' | 'isolatedWorld' | 'cdp' | 'signal' | 'motion'>;

/** A script threw in the page. The message comes from the page and is cut to the length that a record holds. */
export class PageScriptError extends Error {
  override readonly name = 'PageScriptError';

  constructor(message: string) {
    super(boundText('message', message));
  }
}

/** Navigation discards the result of a script. A page that does so this many times in a row navigates endlessly. */
const MAX_TRIES = 20;
const RETRY_DELAY_MS = 50;

/**
 * Gives access to the real properties of a node, past DOM clobbering: `<img name="body">` shadows `document.body`, and
 * an input shadows properties of its form, in every world.
 */
export type SafeAccess = <T extends Node>(node: T) => T;

export type InPage<Argument, Result> = (argument: Argument, safe: SafeAccess) => Result | Promise<Result>;

/** A function that uses classes and functions, which are sent with it. */
export interface InPageWith<Argument, Result> {
  readonly run: InPage<Argument, Result>;
  readonly uses: readonly { readonly name: string }[];
}

/** The name of the isolated world in which the scripts of captures run. */
export const WORLD_NAME = 'capture';

/**
 * Runs a function in the page and returns its result, as JSON.
 *
 * It runs in an isolated world: a page that redefines `Array.from` or disables JavaScript does not break it. Timers do not
 * fire there without JavaScript, so waiting is up to the caller.
 *
 * The document may be XML or have no element at all. Properties of the document and of forms must be read through `safe`.
 *
 * The browser is not asked for the tree of frames: the page chooses how long their addresses are, and looks are many.
 *
 * @throws PageScriptError; AppError `capture_timeout` when the page navigates endlessly
 */
export async function inPage<Argument, Result>(
  visit: ScriptTarget,
  run: InPage<Argument, Result> | InPageWith<Argument, Result>,
  argument: Argument,
): Promise<Result> {
  return evaluateWithRetry(visit, async () => call(await worldOfPage(visit), run, argument));
}

/** The isolated world of the main frame's document, which is opened once for each document. */
export async function worldOfPage({
  cdp,
  mainFrame,
  isolatedWorld,
}: Pick<ScriptTarget, 'cdp' | 'mainFrame' | 'isolatedWorld'>): Promise<IsolatedWorld> {
  if (isolatedWorld.contextId === undefined) {
    const world = await openWorld(cdp, frameIdOf(mainFrame));
    isolatedWorld.contextId = world.executionContextId;
  }
  return { cdp, executionContextId: isolatedWorld.contextId };
}

/**
 * Runs a function in each document to come, in the world of `inPage`, before the scripts of the document. Embedded documents
 * are left out.
 */
export async function inDocumentsToCome({ cdp }: ScriptTarget, run: InPageWith<null, void>): Promise<void> {
  await cdp.send('Page.addScriptToEvaluateOnNewDocument', {
    source: `if (window === window.top) (${toSource(run)})(null);`,
    worldName: WORLD_NAME,
  });
}

/** The isolated world of a document. */
export interface IsolatedWorld {
  readonly cdp: CDPSession;
  readonly executionContextId: number;
}

/** Opens the isolated world of a frame's document, the same one each time. `cdp` is the session that the frame belongs to. */
export async function openWorld(cdp: CDPSession, frameId: string): Promise<IsolatedWorld> {
  const { executionContextId } = await cdp.send('Page.createIsolatedWorld', {
    frameId,
    worldName: WORLD_NAME,
  });
  return { cdp, executionContextId };
}

/**
 * Runs a function in an isolated world, as `inPage` does. It is not repeated when the document is gone.
 *
 * @throws PageScriptError
 */
export async function inWorld<Argument, Result>(
  world: IsolatedWorld,
  run: InPage<Argument, Result> | InPageWith<Argument, Result>,
  argument: Argument,
): Promise<Result> {
  return valueOf(await call(world, run, argument)) as Result;
}

function call<Argument, Result>(
  { cdp, executionContextId }: IsolatedWorld,
  run: InPage<Argument, Result> | InPageWith<Argument, Result>,
  argument: Argument,
): Promise<Evaluation> {
  return cdp.send('Runtime.callFunctionOn', {
    executionContextId,
    functionDeclaration: toSource(run),
    arguments: [{ value: argument }],
    returnByValue: true,
    awaitPromise: true,
  });
}

/** The source of a function of the argument alone. */
export function toSource<Argument, Result>(
  script: InPage<Argument, Result> | InPageWith<Argument, Result>,
): string {
  const { run, uses } = typeof script === 'function' ? { run: script, uses: [] } : script;
  const sources = uses.map(declarationOf).join('\n');
  return `function (argument) { ${sources}\nreturn (${run.toString()})(argument, ${safe.toString()}); }`;
}

/**
 * The text that declares a class or a function by its name. Bundlers turn `class A {}` into `var A = class {}`, whose own
 * text has no name.
 */
export function declarationOf(part: { readonly name: string }): string {
  const text = Function.prototype.toString.call(part);
  return /^class\s*(?:extends\b|\{)/.test(text) ? `const ${part.name} = ${text};` : text;
}

function valueOf({ result, exceptionDetails }: Evaluation): unknown {
  if (exceptionDetails) throw new PageScriptError(messageOf(exceptionDetails));
  return result.value;
}

/** Runs in the page: reads and writes properties on the prototypes, which a page cannot change in this world. */
export function safe<T extends Node>(node: T): T {
  return new Proxy(node, {
    get: (target, name) => {
      const value: unknown = Reflect.get(Object.getPrototypeOf(target) as object, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
    set: (target, name, value) => Reflect.set(Object.getPrototypeOf(target) as object, name, value, target),
  });
}

/**
 * Evaluates a JavaScript expression in the page's own world and returns its value, as JSON. A promise is awaited.
 *
 * @throws PageScriptError
 */
export async function evaluateInMainWorld(visit: ScriptTarget, expression: string): Promise<unknown> {
  return evaluateWithRetry(visit, () =>
    visit.cdp.send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true }),
  );
}

interface Evaluation {
  readonly result: Protocol.Runtime.RemoteObject;
  readonly exceptionDetails?: Protocol.Runtime.ExceptionDetails;
}

async function evaluateWithRetry<Result>(
  visit: ScriptTarget,
  send: () => Promise<Evaluation>,
): Promise<Result> {
  visit.motion = undefined;
  for (let tries = 1; ; tries += 1) {
    try {
      return valueOf(await send()) as Result;
    } catch (error) {
      // The page navigated in the meantime.
      if (!isProtocolError(error)) throw error;
      if (tries === MAX_TRIES) throw endlessNavigation(error);
      visit.isolatedWorld.contextId = undefined;
      await delay(RETRY_DELAY_MS, undefined, { signal: visit.signal });
    }
  }
}

/** Whether the browser refused a command, as for a document that is gone. A closed page throws another class. */
export function isProtocolError(error: unknown): boolean {
  return error instanceof Error && error.name === 'ProtocolError';
}

export function endlessNavigation(cause?: unknown): AppError {
  return new AppError('capture_timeout', {
    detail: 'The page navigates from address to address without end.',
    cause,
  });
}

/** The first line of the thrown error. */
export function messageOf({ exception, text }: Protocol.Runtime.ExceptionDetails): string {
  const thrown =
    exception?.description ?? (exception && 'value' in exception ? String(exception.value) : text);
  // The stack follows on the next lines.
  return thrown.split('\n', 1)[0] ?? text;
}
