import type { CDPSession, Frame } from 'puppeteer';
import { frameIdOf, processOf } from '../pipeline/frame-sessions.js';
import { safe, toSource, type InPage, type InPageWith } from '../pipeline/in-page.js';

const WORLD = 'consent';

/** An isolated world of one document of the page, which is its own: code in it may change prototypes. */
export class FrameWorld {
  private constructor(
    private readonly session: CDPSession,
    private readonly frame: Frame,
    private readonly contextId: number,
  ) {}

  /** @throws ProtocolError when the frame is gone */
  static async open(frame: Frame): Promise<FrameWorld> {
    const client = processOf(frame);
    const { executionContextId } = await client.send('Page.createIsolatedWorld', {
      frameId: frameIdOf(frame),
      worldName: WORLD,
    });
    return new FrameWorld(client, frame, executionContextId);
  }

  /**
   * Runs a function in the world and returns its result, as JSON.
   *
   * @throws Error when it throws or the document is gone
   */
  async call<Argument, Result>(
    run: InPage<Argument, Result> | InPageWith<Argument, Result>,
    argument: Argument,
  ): Promise<Result> {
    return (await this.send(toSource(run), argument)) as Result;
  }

  /** Keeps the result of a function, given as source, under a symbol of the world, unless there is one already. */
  async install(symbol: string, source: string): Promise<void> {
    const key = `Symbol.for(${JSON.stringify(symbol)})`;
    await this.send(
      `function () { const safe = ${safe.toString()}; globalThis[${key}] ??= (${source})(); }`,
      null,
    );
  }

  /**
   * Evaluates expressions of ours in the page's own world, each to a boolean; false for one that throws. The page may have
   * replaced any function, so that the code around them uses only operators of the language.
   */
  async evaluateInMainWorld(expressions: readonly string[]): Promise<boolean[]> {
    const values = expressions.map((each) => `(() => { try { return !!${each} } catch { return false } })()`);
    const expression = `[${values.join()}]`;
    const { result } = await this.evaluate(expression);
    const read: unknown[] = Array.isArray(result.value) ? result.value : [];
    return expressions.map((_, index) => read[index] === true);
  }

  /** Hides the element of the document around it in which the frame is. */
  async hideOwner(): Promise<void> {
    const parent = this.frame.parentFrame();
    if (!parent) return;
    const client = processOf(parent);
    const frameId = frameIdOf(this.frame);
    const { contextId } = await FrameWorld.open(parent);
    const { backendNodeId } = await client.send('DOM.getFrameOwner', { frameId });
    const node = await client.send('DOM.resolveNode', { backendNodeId, executionContextId: contextId });
    await client.send('Runtime.callFunctionOn', {
      objectId: node.object.objectId ?? '',
      functionDeclaration: `function () { this.style.setProperty('display', 'none', 'important') }`,
    });
  }

  private async evaluate(expression: string) {
    if (this.isTopmost()) return this.session.send('Runtime.evaluate', { expression, returnByValue: true });
    // The main world of a frame in the process of its parent has no name; the wrapper of its document belongs to it.
    const frameId = frameIdOf(this.frame);
    const { backendNodeId: owner } = await this.session.send('DOM.getFrameOwner', { frameId });
    const { node } = await this.session.send('DOM.describeNode', {
      backendNodeId: owner,
      depth: 1,
      pierce: true,
    });
    const { object } = await this.session.send('DOM.resolveNode', {
      backendNodeId: node.contentDocument?.backendNodeId ?? 0,
    });
    return this.session.send('Runtime.callFunctionOn', {
      objectId: object.objectId ?? '',
      functionDeclaration: `function () { return ${expression} }`,
      returnByValue: true,
    });
  }

  /** Whether the frame is the topmost one of its process. */
  private isTopmost(): boolean {
    const parent = this.frame.parentFrame();
    return parent === null || processOf(parent) !== this.session;
  }

  private async send(functionDeclaration: string, argument: unknown): Promise<unknown> {
    const { result, exceptionDetails } = await this.session.send('Runtime.callFunctionOn', {
      executionContextId: this.contextId,
      functionDeclaration,
      arguments: [{ value: argument }],
      returnByValue: true,
      awaitPromise: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }
}
