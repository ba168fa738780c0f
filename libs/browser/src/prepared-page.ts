import type { Browser, BrowserContext, CDPSession, Dialog, Page, Target } from 'puppeteer';
import { withTimeout } from '@app/kernel';
import { showCredential } from './egress-credential.js';
import type { Egress } from './egress.js';
import { proxyServerOf } from './launch-args.js';
import { setUserAgent } from './user-agent.js';

/** Disposing a context with a looping page takes some 10 ms; past this the browser does not answer. */
const DISPOSE_TIMEOUT_MS = 5_000;
/** A page that still gets windows open is closed in on: past this many its browser is given up. */
const MAX_POPUPS = 5;

/**
 * A context with one page, one session and one exit, made before anybody asks for it: that is some 35 ms of a capture
 * which the caller does not wait for. Nothing of a capture's options is in it.
 */
export class PreparedPage {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly cdp: CDPSession;
  readonly egress: Egress;
  private readonly loss = Promise.withResolvers<string>();
  /** Resolves, never rejects, with what happened when the page or its browser died. */
  readonly lost = this.loss.promise;
  private popups = 0;

  private constructor(
    { context, page, cdp, egress }: Pick<PreparedPage, 'context' | 'page' | 'cdp' | 'egress'>,
    private readonly browserGone: AbortSignal,
  ) {
    this.context = context;
    this.page = page;
    this.cdp = cdp;
    this.egress = egress;
    browserGone.addEventListener('abort', this.onBrowserGone);
    if (browserGone.aborted) this.onBrowserGone();
    page.on('error', () => this.loss.resolve('The process of the page crashed.'));
    page.on('dialog', (dialog) => void answer(dialog));
    context.on('targetcreated', (target) => this.closePopup(target));
  }

  /** The exit of a page that was opened is closed with it, or with the browser. */
  static async open(browser: Browser, egress: Egress, browserGone: AbortSignal): Promise<PreparedPage> {
    const context = await browser.createBrowserContext({
      downloadBehavior: { policy: 'deny' },
      proxyServer: proxyServerOf(egress.proxyUrl),
      // Without it Chromium goes to its own machine (127/8, ::1, localhost, 169.254/16) past any proxy.
      proxyBypassList: ['<-loopback>'],
    });
    const page = await context.newPage();
    const [cdp] = await Promise.all([page.createCDPSession(), setUserAgent(page, {})]);
    if (egress.credential) await showCredential(cdp, egress.credential);
    return new PreparedPage({ context, page, cdp, egress }, browserGone);
  }

  /** Ends the context with all that it stored. Rejects when the browser does not do it in time. */
  async dispose(): Promise<void> {
    // Or the browser's signal would hold all pages it ever had.
    this.browserGone.removeEventListener('abort', this.onBrowserGone);
    await this.egress.close();
    await withTimeout(this.context.close(), DISPOSE_TIMEOUT_MS, 'disposing a browser context');
  }

  private readonly onBrowserGone = (): void => {
    this.loss.resolve('The process of the browser ended.');
    void this.egress.close();
  };

  private closePopup(target: Target): void {
    if (target.type() !== 'page' || target === this.page.target()) return;
    this.popups += 1;
    if (this.popups > MAX_POPUPS) this.loss.resolve('The page opens windows without end.');
    // It may be gone before we reach it, which is what we want.
    void target
      .page()
      .then((popup) => popup?.close())
      .catch(() => undefined);
  }
}

/**
 * An open dialog stops every script and picture of its page (puppeteer#2481). `beforeunload` is accepted, so that the
 * page may be left; to all else the answer is no.
 */
async function answer(dialog: Dialog): Promise<void> {
  try {
    await (dialog.type() === 'beforeunload' ? dialog.accept() : dialog.dismiss());
  } catch {
    // The page went away with its dialog.
  }
}
