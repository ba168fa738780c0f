import type { PreparedPage } from '../page/prepared-page.js';

/** What captures leave in a context grows, so that another one begins after this many. */
const MAX_CAPTURES = 50;
/** A context that no caller has asked for is deleted after this time. */
const KEEP_MS = 30_000;

interface Kept {
  readonly share: string;
  readonly page: PreparedPage;
  readonly timer: NodeJS.Timeout;
}

/** The context that callers of a browser share, one after the other. It is kept with an open page, beside that of all other callers. */
export class SharedContext {
  private kept: Kept | undefined;

  /** Takes the page for a caller; undefined if the context of its `share` is not here. */
  takePage(share: string | undefined): PreparedPage | undefined {
    return share !== undefined && this.kept?.share === share ? this.release() : undefined;
  }

  /** Keeps the context of a page whose caller has left, in place of another one. Rejects when the browser takes too long. */
  async keep(share: string, page: PreparedPage): Promise<void> {
    await this.release()?.dispose();
    if (page.served + 1 >= MAX_CAPTURES) return page.dispose();
    const next = await page.reopen();
    const drop = (): void => {
      // A browser that does not dispose of it fails its next probe.
      if (this.kept?.page === next)
        this.release()
          ?.dispose()
          .catch(() => undefined);
    };
    this.kept = { share, page: next, timer: setTimeout(drop, KEEP_MS).unref() };
    void next.lost.then(drop);
  }

  private release(): PreparedPage | undefined {
    const kept = this.kept;
    this.kept = undefined;
    clearTimeout(kept?.timer);
    return kept?.page;
  }
}
