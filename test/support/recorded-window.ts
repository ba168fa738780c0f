import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { connect, type Page } from 'puppeteer';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';

/**
 * The browser in which `capture sessions create --record` opens its window, which a test uses as a person does. Without a display, it
 * has no window; a port beside the pipe of the command lets the test press its keys and move its pointer.
 */
export class RecordedWindow {
  private constructor(
    /** What the command starts as a browser. */
    readonly program: string,
    private readonly port: number,
  ) {}

  static async prepare(folder: string): Promise<RecordedWindow> {
    const { PUPPETEER_EXECUTABLE_PATH: browser = '', BROWSER_LIBRARY_PATH: libraries = '' } = process.env;
    const port = await freePort();
    const program = path.join(folder, 'chromium');
    const lines = [
      '#!/bin/sh',
      `export LD_LIBRARY_PATH='${libraries}'`,
      // It opens only our own pages, and root cannot have a sandbox.
      `exec '${browser}' --headless --no-sandbox --remote-debugging-port=${port} "$@"`,
    ];
    await writeFile(program, `${lines.join('\n')}\n`);
    await chmod(program, 0o700);
    return new RecordedWindow(program, port);
  }

  /** Uses the tab once it has loaded the address. */
  async use(url: string, work: (page: Page) => Promise<void>): Promise<void> {
    const browserURL = `http://127.0.0.1:${this.port}`;
    const isOpen = (): Promise<boolean> => fetch(`${browserURL}/json/version`).then(({ ok }) => ok, isFalse);
    await eventually('the browser of the window listens', isOpen, 60_000);
    const browser = await connect({ browserURL, defaultViewport: null });
    try {
      let page: Page | undefined;
      await eventually(
        `the window shows ${url}`,
        async () => {
          for (const tab of await browser.pages()) if (await hasLoaded(tab, url)) page = tab;
          return page !== undefined;
        },
        60_000,
      );
      if (page) await work(page);
    } finally {
      await browser.disconnect();
    }
  }
}

/** The tab is still at an empty page when the browser lists its address already. */
function hasLoaded(tab: Page, url: string): Promise<boolean> {
  const isThere = (address: string): boolean =>
    location.href.startsWith(address) && document.readyState === 'complete';
  return tab.evaluate(isThere, url).catch(isFalse);
}

const isFalse = (): boolean => false;
