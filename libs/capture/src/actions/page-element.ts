import {
  messageOf,
  PageScriptError,
  safe,
  type IsolatedWorld,
  type SafeAccess,
} from '../pipeline/in-page.js';

/** An element of a document, as our isolated world there knows it. */
export interface PageElement {
  readonly world: IsolatedWorld;
  readonly objectId: string;
}

type OnElement<Argument, Result> = (
  element: Element,
  argument: Argument,
  safe: SafeAccess,
) => Result | Promise<Result>;

/** A function that runs on an element, and the functions that it uses, which are sent with it. */
export interface ElementScript<Argument, Result> {
  readonly run: OnElement<Argument, Result>;
  readonly uses: readonly { readonly name: string }[];
}

/** The name under which the browser holds the elements of a step. */
export const OBJECT_GROUP = 'actions';

/**
 * Runs a function on an element, in the isolated world, as a person's input would run it. Returns its result, as JSON.
 *
 * @throws PageScriptError; ProtocolError when the document is gone
 */
export async function onElement<Argument, Result>(
  { world, objectId }: PageElement,
  { run, uses }: ElementScript<Argument, Result>,
  argument: Argument,
): Promise<Result> {
  const { result, exceptionDetails } = await world.cdp.send('Runtime.callFunctionOn', {
    objectId,
    functionDeclaration: `function (argument) { ${uses.map(String).join('\n')}
      return (${run.toString()})(this, argument, ${safe.toString()}); }`,
    arguments: [{ value: argument }],
    returnByValue: true,
    awaitPromise: true,
    userGesture: true,
  });
  if (exceptionDetails) throw new PageScriptError(messageOf(exceptionDetails));
  return result.value as Result;
}
