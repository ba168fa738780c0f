import type { CDPSession, Page, Protocol } from 'puppeteer';
import type { OriginState, StorageFill } from '../pipeline/browser-state.js';
import { frameIdOf } from '../pipeline/frame-sessions.js';
import { inWorld, openWorld, toSource, WORLD_NAME, type InPageWith } from '../pipeline/in-page.js';
import {
  beginFill,
  FILL_SCRIPTS,
  type FillOutcome,
  listOnceFilled,
  LISTING_SCRIPTS,
  readOutcome,
} from './page-fill.js';
import { notMoved } from './state-problem.js';

/** A part of what is stored, with the scripts that fill it, which wait for their document. */
interface Part {
  readonly state: OriginState;
  readonly scripts: readonly Promise<string>[];
}

type NewDocumentScript = Protocol.Page.AddScriptToEvaluateOnNewDocumentRequest;

/**
 * Fills the storage of an origin in the first document of the page that has this origin, before the scripts of the document run. It
 * takes no navigation, so that the history of the page shows nothing of it (docs/adr/0034-storage-is-filled-in-the-first-document.md).
 *
 * Local and session storage are filled as soon as the document begins, IndexedDB a moment later. If the page leaves the document before,
 * the browser undoes what is not complete, and the next document of the origin goes on.
 */
export class DocumentFill implements StorageFill {
  private readonly cdp: CDPSession;
  private readonly mainFrame: string;
  private readonly origin: string;
  private parts: readonly Part[];
  private hasFailed = false;
  private filling: Promise<void> = Promise.resolve();

  /** The document is filled if the Page domain of the session has been enabled before it begins. */
  constructor({ page, cdp }: { readonly page: Page; readonly cdp: CDPSession }, state: OriginState) {
    this.cdp = cdp;
    this.mainFrame = frameIdOf(page.mainFrame());
    this.origin = state.origin;
    this.parts = [...this.textsOf(state), ...this.databasesOf(state)];
    cdp.on('Page.frameNavigated', ({ frame }) => {
      if (frame.id !== this.mainFrame || frame.securityOrigin !== this.origin) return;
      this.filling = this.filling.then(() => this.follow());
    });
  }

  async settled(): Promise<void> {
    await this.filling;
    if (this.hasFailed) throw notMoved();
  }

  async takeRest(): Promise<OriginState | undefined> {
    await this.settled();
    const { parts } = this;
    await this.keep([]);
    const rest = parts.map(({ state }) => state);
    return rest.length === 0 ? undefined : rest.reduce((all, one) => ({ ...one, ...all }));
  }

  /** Waits for what the scripts do in the document, and removes them when they have done it. */
  private async follow(): Promise<void> {
    if (this.parts.length === 0) return;
    const outcome = await this.outcome();
    // The document was the first of the origin, so that at least local and session storage are filled.
    if (outcome === 'gone') await this.keep(this.parts.filter(({ state }) => state.indexedDB !== undefined));
    if (outcome === 'filled' || outcome === 'failed') await this.keep([]);
    this.hasFailed ||= outcome === 'failed';
  }

  private async outcome(): Promise<FillOutcome | 'gone'> {
    try {
      return await inWorld(await openWorld(this.cdp, this.mainFrame), readOutcome, null);
    } catch {
      // The document is gone, or the whole page, whose failure is reported elsewhere.
      return 'gone';
    }
  }

  /** Removes the scripts of all other parts. */
  private async keep(kept: readonly Part[]): Promise<void> {
    const others = this.parts.filter((part) => !kept.includes(part));
    this.parts = kept;
    const removed = others.flatMap(({ scripts }) => scripts).map((script) => this.remove(script));
    // A page that is gone has no scripts; its failure is reported elsewhere.
    await Promise.all(removed).catch(() => undefined);
  }

  private async remove(script: Promise<string>): Promise<void> {
    const identifier = await script;
    await this.cdp.send('Page.removeScriptToEvaluateOnNewDocument', { identifier });
  }

  private textsOf({ origin, localStorage: local, sessionStorage: session = [] }: OriginState): Part[] {
    const state = { origin, localStorage: local, sessionStorage: session };
    return local.length + session.length === 0 ? [] : [this.partOf(state, [fillScript(state)])];
  }

  private databasesOf({ origin, indexedDB: databases = [] }: OriginState): Part[] {
    if (databases.length === 0) return [];
    const state = { origin, localStorage: [], indexedDB: databases };
    const names = databases.map(({ name }) => name);
    const source = scriptFor(origin, { run: listOnceFilled, uses: LISTING_SCRIPTS }, names);
    return [this.partOf(state, [fillScript(state), { source }])];
  }

  private partOf(state: OriginState, sources: readonly NewDocumentScript[]): Part {
    const scripts = sources.map(async (source) => {
      const { identifier } = await this.cdp.send('Page.addScriptToEvaluateOnNewDocument', source);
      return identifier;
    });
    for (const script of scripts) script.catch(() => undefined);
    return { state, scripts };
  }
}

function fillScript(state: OriginState): NewDocumentScript {
  const source = scriptFor(state.origin, { run: beginFill, uses: FILL_SCRIPTS }, state);
  return { source, worldName: WORLD_NAME };
}

/** Runs in the documents of the origin that are not embedded. A sandboxed one has an origin of its own. */
function scriptFor<Argument>(origin: string, script: InPageWith<Argument, void>, argument: Argument): string {
  const isOfOrigin = `window === window.top && self.origin === ${JSON.stringify(origin)}`;
  return `if (${isOfOrigin}) (${toSource(script)})(${JSON.stringify(argument)});`;
}
