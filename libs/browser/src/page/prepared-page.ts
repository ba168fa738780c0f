import type { Browser, BrowserContext, CDPSession, Dialog, Page, Target } from 'puppeteer';
import { withTimeout } from '@app/kernel';
import type { Egress } from './egress.js';
import { proxyServerOf } from '../launch/launch-args.js';
import { ProxyAuthentication } from './proxy-authentication.js';
import { setUserAgent } from './user-agent.js';

/** Disposing a context with a looping page takes some 10 ms; after this time the browser counts as hung. */
const DISPOSE_TIMEOUT_MS = 5_000;
/** Popups are closed at once; a page that opens more of them loses its browser. */
const MAX_POPUPS = 5;

/** How a dialog of the page is answered. */
export interface DialogAnswer {
  readonly isAccepted: boolean;
  /** For a prompt. */
  readonly text: string | undefined;
}

/**
 * A context with a page, a CDP session and an egress proxy, opened in advance, which saves the caller some 35 ms. It does not
 * depend on the options of a capture.
 */
export class PreparedPage {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly cdp: CDPSession;
  readonly egress: Egress;
  readonly proxyAuthentication: ProxyAuthentication;
  private readonly loss = Promise.withResolvers<string>();
  /** Resolves, never rejects, with the reason when the page or its browser dies. */
  readonly lost = this.loss.promise;
  private popups = 0;
  private nextAnswer: DialogAnswer | undefined;

  private constructor(
    { context, page, cdp, egress }: Pick<PreparedPage, 'context' | 'page' | 'cdp' | 'egress'>,
    private readonly browserGone: AbortSignal,
    /** The captures that the context has served before. */
    readonly served = 0,
  ) {
    this.context = context;
    this.page = page;
    this.cdp = cdp;
    this.egress = egress;
    // A context keeps the credential that its first page has given.
    this.proxyAuthentication = new ProxyAuthentication(cdp, served === 0 ? egress.credential : undefined);
    browserGone.addEventListener('abort', this.onBrowserGone);
    if (browserGone.aborted) this.onBrowserGone();
    page.on('error', () => this.loss.resolve('The process of the page crashed.'));
    page.on('dialog', (dialog) => void this.answer(dialog));
    context.on('targetcreated', this.onTarget);
  }

  /** The egress proxy is closed with the page, or when its browser ends. */
  static async open(browser: Browser, egress: Egress, browserGone: AbortSignal): Promise<PreparedPage> {
    const context = await browser.createBrowserContext({
      downloadBehavior: { policy: 'deny' },
      proxyServer: proxyServerOf(egress.proxyUrl),
      // Without it Chromium connects to its own machine (127/8, ::1, localhost, 169.254/16) without the proxy.
      proxyBypassList: ['<-loopback>'],
    });
    return new PreparedPage({ ...(await openPage(context)), context, egress }, browserGone);
  }

  /**
   * Closes the page, and opens another one in its context, which keeps its cookies, its storage and its cache. Rejects when the browser
   * takes too long.
   */
  async reopen(): Promise<PreparedPage> {
    const { context, egress, browserGone } = this;
    context.off('targetcreated', this.onTarget);
    const page = await withTimeout(replacePages(context), DISPOSE_TIMEOUT_MS, 'replacing a page');
    // Until here, the end of the browser closes the egress.
    this.leave();
    egress.restart();
    return new PreparedPage({ ...page, context, egress }, browserGone, this.served + 1);
  }

  /** Resolves when the browser has drawn the page. */
  draw(): Promise<void> {
    return drawPixel(this.cdp);
  }

  /** Deletes the context with all its data. Rejects when the browser takes too long. */
  async dispose(): Promise<void> {
    this.leave();
    await this.egress.close();
    await withTimeout(this.context.close(), DISPOSE_TIMEOUT_MS, 'disposing a browser context');
  }

  private leave(): void {
    // Otherwise the signal of the browser would keep references to all of its former pages.
    this.browserGone.removeEventListener('abort', this.onBrowserGone);
    this.context.off('targetcreated', this.onTarget);
  }

  private readonly onTarget = (target: Target): void => {
    this.closePopup(target);
  };

  private readonly onBrowserGone = (): void => {
    this.loss.resolve('The process of the browser ended.');
    void this.egress.close();
  };

  /** Says how the next dialog of the page is answered. */
  answerNextDialog(answer: DialogAnswer): void {
    this.nextAnswer = answer;
  }

  /**
   * Answers a dialog at once, because it blocks every script and picture of its page (puppeteer#2481). `beforeunload` is
   * accepted, so that the page can be left; others are dismissed, unless the capture has said how the next one is answered.
   */
  private async answer(dialog: Dialog): Promise<void> {
    const isLeaving = dialog.type() === 'beforeunload';
    const { isAccepted, text } = (isLeaving ? undefined : this.nextAnswer) ?? {
      isAccepted: isLeaving,
      text: undefined,
    };
    if (!isLeaving) this.nextAnswer = undefined;
    try {
      await (isAccepted ? dialog.accept(text) : dialog.dismiss());
    } catch {
      // The page was closed with its dialog.
    }
  }

  private closePopup(target: Target): void {
    if (target.type() !== 'page' || target === this.page.target()) return;
    this.popups += 1;
    if (this.popups > MAX_POPUPS) this.loss.resolve('The page keeps opening windows.');
    // It may close by itself before this.
    void target
      .page()
      .then((popup) => popup?.close())
      .catch(() => undefined);
  }
}

async function openPage(context: BrowserContext): Promise<Pick<PreparedPage, 'page' | 'cdp'>> {
  const page = await context.newPage();
  const [cdp] = await Promise.all([page.createCDPSession(), setUserAgent(page, {})]);
  // A document without scripts runs those of the capture at its start only if the one before it had run a script.
  await cdp.send('Runtime.evaluate', { expression: '0' });
  return { page, cdp };
}

/** Closes all pages of the context, also those of windows that were opened a moment ago, and opens another one. */
async function replacePages(context: BrowserContext): Promise<Pick<PreparedPage, 'page' | 'cdp'>> {
  const pages = await context.pages();
  const [opened] = await Promise.all([openPage(context), ...pages.map((page) => page.close())]);
  return opened;
}

/** Takes the smallest picture of a page. */
export async function drawPixel(cdp: CDPSession): Promise<void> {
  const clip = { x: 0, y: 0, width: 1, height: 1, scale: 1 };
  await cdp.send('Page.captureScreenshot', { format: 'png', clip, optimizeForSpeed: true });
}
