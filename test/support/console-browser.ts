import { AxePuppeteer } from '@axe-core/puppeteer';
import { launch, type Browser, type BrowserContext, type CookieData, type Page } from 'puppeteer';
import type { Apps } from './apps.js';

const POLL_MS = 100;

interface VisitOptions {
  /** The key to log in with; null shows the log-in page. */
  readonly key?: string | null;
  readonly width?: number;
  readonly scheme?: 'light' | 'dark';
}

/** A Chromium in which people use the console. */
export class ConsoleBrowser {
  /** Contexts of visits that have ended, which have loaded the scripts of the console: half of the CPU time of a visit. */
  private readonly left: BrowserContext[] = [];

  private constructor(
    private readonly browser: Browser,
    private readonly apps: Pick<Apps, 'url' | 'key'>,
  ) {}

  static async launch(apps: Pick<Apps, 'url' | 'key'>): Promise<ConsoleBrowser> {
    const browser = await launch({
      headless: 'shell',
      executablePath: process.env.PUPPETEER_EXECUTABLE_PATH,
      // Without a language of the system, that of a headless shell would be `en-US@posix`, which no Intl accepts.
      env: { ...process.env, LANG: 'en_US.UTF-8', LD_LIBRARY_PATH: process.env.BROWSER_LIBRARY_PATH },
      // It opens only our own pages, and root cannot have a sandbox.
      args: ['--no-sandbox', '--lang=en-US'],
    });
    return new ConsoleBrowser(browser, apps);
  }

  /** A person who has logged in and opened nothing yet: no other visit shares the cookies. */
  async visit({
    key = this.apps.key,
    width = 1_440,
    scheme = 'light',
  }: VisitOptions = {}): Promise<ConsoleVisit> {
    const context = this.left.pop() ?? (await this.browser.createBrowserContext());
    await context.deleteCookie(...(await context.cookies()));
    if (key !== null) await context.setCookie(await this.logIn(key));
    const page = await context.newPage();
    const visit = new ConsoleVisit(page, this.apps.url, () => this.left.push(context));
    await visit.resize({ width, scheme });
    if (key !== null) return visit;
    await visit.open('');
    await page.waitForSelector('form');
    return visit;
  }

  /** The cookie of a log-in by the key, without a page that is loaded for it. */
  private async logIn(key: string): Promise<CookieData> {
    const response = await fetch(`${this.apps.url}/console/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-capture-console': '1' },
      body: JSON.stringify({ key }),
    });
    const [name, value] = response.headers.getSetCookie()[0]?.split(';')[0]?.split('=') ?? [];
    if (!response.ok || name === undefined || value === undefined) throw new Error(await response.text());
    const { hostname } = new URL(this.apps.url);
    return { name, value, domain: hostname, path: '/console', httpOnly: true, sameSite: 'Strict' };
  }

  async close(): Promise<void> {
    await this.browser.close();
  }
}

/** A link that logs in once, as `npm start` prints it. */
export async function logInLink(url: string, key: string): Promise<string> {
  const response = await fetch(`${url}/console/log-ins`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
  });
  return ((await response.json()) as { url: string }).url;
}

/** In the page: waits for the animations that end. */
async function animationsEnd(): Promise<void> {
  const ending = document.getAnimations().filter(({ effect }) => {
    return effect?.getComputedTiming().endTime !== Infinity;
  });
  await Promise.allSettled(ending.map(({ finished }) => finished));
}

/** One person in the console, and everything that the browser complains about. */
export class ConsoleVisit {
  /** Violations of the policy, exceptions of scripts, and requests to anywhere else. Expected to stay empty. */
  readonly complaints: string[] = [];
  /** What the browser has asked the person, such as whether to leave a page; it was answered with yes. */
  readonly questions: string[] = [];

  constructor(
    readonly page: Page,
    private readonly url: string,
    private readonly leave: () => void,
  ) {
    page.on('console', (message) => {
      // Chromium also logs error responses, which may be expected.
      const isComplaint = ['error', 'warn'].includes(message.type());
      if (isComplaint && !message.text().startsWith('Failed to load resource'))
        this.complaints.push(message.text());
    });
    page.on('dialog', (dialog) => {
      this.questions.push(dialog.type());
      void dialog.accept();
    });
    page.on('pageerror', (error) => void this.complaints.push(String(error)));
    page.on('request', (request) => {
      const isOwn = request.url().startsWith(`${url}/`) || /^(blob|data):/.test(request.url());
      if (!isOwn) this.complaints.push(`requests ${request.url()}`);
    });
  }

  /** Opens a page of the console, such as `/captures`. */
  async open(path: string): Promise<void> {
    await this.page.goto(`${this.url}/console${path}`);
  }

  /** Goes to a page of the console as its own links do, without a load. */
  async goTo(path: string): Promise<void> {
    await this.page.evaluate((address) => history.pushState(null, '', address), `/console${path}`);
  }

  /** Gives the window this width and the system this colour scheme, and waits until the page is drawn with them. */
  async resize({ width, scheme }: Required<Pick<VisitOptions, 'width' | 'scheme'>>): Promise<void> {
    await this.page.setViewport({ width, height: 900 });
    await this.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
    // What listens to a media query renders in the next frame.
    await this.page.evaluate(
      () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
    );
  }

  /** Waits until the page shows this text. */
  async sees(text: string): Promise<void> {
    // In each frame, which is the default, a look at the whole text is work for the page.
    const polling = { polling: POLL_MS };
    await this.page.waitForFunction((wanted) => document.body.innerText.includes(wanted), polling, text);
  }

  /**
   * Waits until nothing that the window shows is still loading. The network is no sign of it: a page of the console asks again and again,
   * and follows what is in progress.
   */
  async rests(): Promise<void> {
    await this.page.waitForFunction(() => {
      const loading = '[aria-label^="Loading"], .mantine-Skeleton-root[data-visible]';
      const isLoading =
        document.querySelector('main h1') === null || document.querySelector(loading) !== null;
      const images = [...document.images].filter((image) => {
        const { top, bottom } = image.getBoundingClientRect();
        return top < innerHeight && bottom > 0;
      });
      return !isLoading && images.every(({ complete, naturalWidth }) => complete && naturalWidth > 0);
    });
    await this.page.evaluate(animationsEnd);
  }

  /** Clicks the button, link or tab with this accessible name, when it is there and enabled. */
  async click(name: string): Promise<void> {
    await this.page.locator(`::-p-aria(${name})`).click();
  }

  /** Fills in the field with this label. */
  async fill(label: string, value: string): Promise<void> {
    await this.page.locator(`::-p-aria([name="${label}"])`).fill(value);
  }

  text(): Promise<string> {
    return this.page.evaluate(() => document.body.innerText);
  }

  /** What axe finds wrong with the page as it is now, by WCAG 2.2 AA; only serious and critical findings. */
  async barriers(): Promise<string[]> {
    // What fades in has too little contrast for that time.
    await this.page.evaluate(animationsEnd);
    // No page of the console has a frame of another origin, and only violations are read: half of the CPU time.
    const axe = new AxePuppeteer(this.page).setLegacyMode().options({ resultTypes: ['violations'] });
    const { violations } = await axe.analyze();
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
  }

  /** How many px the page is wider than the window. */
  overflow(): Promise<number> {
    return this.page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - innerWidth));
  }

  async close(): Promise<void> {
    await this.page.close();
    this.leave();
  }
}
