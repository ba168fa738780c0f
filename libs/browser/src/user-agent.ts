import type { Frame, Page } from 'puppeteer';
import { LANGUAGES } from './launch-args.js';

/** What servers and scripts learn of the page's browser. */
export interface UserAgent {
  /** The browser's own by default. */
  readonly userAgent?: string | undefined;
  /** The preferred one first, separated by commas: `de-DE,de`. American English by default. */
  readonly languages?: string | undefined;
}

/** Puppeteer has this, but leaves it out of its types. */
interface WithNetwork {
  readonly _frameManager: {
    readonly networkManager: {
      setUserAgent(userAgent: string): Promise<void>;
      setAcceptLanguage(languages: string): Promise<void>;
    };
  };
}

/**
 * Sets the user agent and the languages of a page by Puppeteer's own sessions, which reach its frames of other sites and its
 * workers too. An override in a session of ours stays in the process of the page.
 *
 * The headless shell weighs languages in the header only where they are overridden, so that even its default is one.
 */
export async function setUserAgent(page: Page, { userAgent, languages }: UserAgent): Promise<void> {
  const { networkManager } = (page.mainFrame() as Frame & WithNetwork)._frameManager;
  await Promise.all([
    // An empty one leaves the browser's own as it is, with its client hints.
    networkManager.setUserAgent(userAgent ?? ''),
    networkManager.setAcceptLanguage(languages ?? LANGUAGES),
  ]);
}
