import type { Frame, Page } from 'puppeteer';
import { LANGUAGES } from '../launch/launch-args.js';

/** The browser that a page presents to servers and scripts. */
export interface UserAgent {
  /** The default is the browser's own. */
  readonly userAgent?: string | undefined;
  /** Separated by commas, the preferred one first: `de-DE,de`. The default is American English. */
  readonly languages?: string | undefined;
}

/** A part of Puppeteer that its types leave out. */
interface WithNetwork {
  readonly _frameManager: {
    readonly networkManager: {
      setUserAgent(userAgent: string): Promise<void>;
      setAcceptLanguage(languages: string): Promise<void>;
    };
  };
}

/**
 * Sets the user agent and the languages of a page in Puppeteer's own sessions, which include those of cross-site frames and
 * workers. An override in another session would stay in the process of the page.
 *
 * The headless shell adds weights to the languages of the header only when they are overridden, so the default is overridden,
 * too.
 */
export async function setUserAgent(page: Page, { userAgent, languages }: UserAgent): Promise<void> {
  const { networkManager } = (page.mainFrame() as Frame & WithNetwork)._frameManager;
  await Promise.all([
    // An empty value keeps the browser's own, with its client hints.
    networkManager.setUserAgent(userAgent ?? ''),
    networkManager.setAcceptLanguage(languages ?? LANGUAGES),
  ]);
}
