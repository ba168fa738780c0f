import type { BrowserWindow } from './browser-window.js';
import type { DevtoolsEvent } from './devtools-pipe.js';
import { RecordedSteps } from './recorded-steps.js';
import { REPORTER, watchScript, type PageEvent } from './watch-page.js';

/** Records what a person does in a tab and in its frames. Other tabs and windows are not watched: a capture has none. */
export class WindowRecorder {
  readonly steps = new RecordedSteps();
  /** The page itself asked for the navigation that comes next, because of what the person did. */
  private isByPage = false;
  private isOver = false;

  constructor(private readonly window: BrowserWindow) {}

  /** Watches the tab, and opens the page. */
  async start(url: string): Promise<void> {
    const { devtools, sessionId } = this.window;
    devtools.onEvent = (event) => this.handle(event);
    await this.watch(sessionId);
    // Where it redirects to is no step.
    this.steps.navigate(url);
    this.isByPage = true;
    await devtools.send('Page.navigate', { url }, sessionId);
  }

  /** Records nothing from now on. */
  stop(): void {
    this.isOver = true;
  }

  /** Frames of other sites have processes and sessions of their own. */
  private async watch(sessionId: string): Promise<void> {
    const send = (method: string, params: object): Promise<unknown> =>
      this.window.devtools.send(method, params, sessionId);
    await Promise.all([
      send('Page.enable', {}),
      send('Runtime.enable', {}),
      send('Runtime.addBinding', { name: REPORTER, executionContextName: REPORTER }),
      send('Page.addScriptToEvaluateOnNewDocument', { source: watchScript(), worldName: REPORTER }),
      send('Target.setAutoAttach', {
        autoAttach: true,
        waitForDebuggerOnStart: true,
        flatten: true,
        filter: [{ type: 'iframe' }],
      }),
    ]);
  }

  private handle({ method, params, sessionId }: DevtoolsEvent): void {
    if (method === 'Page.javascriptDialogOpening') this.leave(params);
    if (method === 'Target.attachedToTarget') this.attach(String(params.sessionId));
    if (this.isOver) return;
    if (method === 'Runtime.bindingCalled' && params.name === REPORTER) {
      this.steps.add(JSON.parse(String(params.payload)) as PageEvent);
    }
    if (sessionId === this.window.sessionId) this.follow(method, params);
  }

  /** An address that the person typed is a step; one to which the page leads follows from the step before. */
  private follow(method: string, params: DevtoolsEvent['params']): void {
    if (method === 'Page.frameRequestedNavigation') this.isByPage = true;
    if (method !== 'Page.frameNavigated') return;
    const { parentId, url } = params.frame as { readonly parentId?: string; readonly url: string };
    if (parentId !== undefined) return;
    if (!this.isByPage && /^https?:/.test(url)) this.steps.navigate(url);
    this.isByPage = false;
  }

  private attach(sessionId: string): void {
    const { devtools } = this.window;
    void this.watch(sessionId)
      .then(() => devtools.send('Runtime.runIfWaitingForDebugger', {}, sessionId))
      // A frame that is gone has nothing to watch.
      .catch(() => undefined);
  }

  /** Once it is over, a page that asks whether it may be left is left. Before, the person answers. */
  private leave({ type }: DevtoolsEvent['params']): void {
    if (!this.isOver || type !== 'beforeunload') return;
    const { devtools, sessionId } = this.window;
    devtools.send('Page.handleJavaScriptDialog', { accept: true }, sessionId).catch(() => undefined);
  }
}
