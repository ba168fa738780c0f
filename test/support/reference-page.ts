import { launch, type Browser, type Page } from 'puppeteer';

/** What the reference page shows after "Execute". */
export interface Shown {
  readonly status: number;
  /** The body, when the page shows it as text. */
  readonly body: string;
  /** Width of the picture, when there is one; 0 when the browser refuses to show it. */
  readonly picture: number | null;
  /** The values of the fields before anything was entered. */
  readonly prefilled: Readonly<Record<string, string>>;
}

/** The reference at /docs in a browser of its own, used by its fields and buttons as a reader does. */
export class ReferencePage {
  /** Errors of the browser: blocked resources, exceptions of scripts. */
  readonly complaints: string[] = [];

  private constructor(
    private readonly browser: Browser,
    readonly page: Page,
  ) {
    page.on('console', (message) => {
      // Chromium also logs error responses, which are expected here.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
        this.complaints.push(message.text());
      }
    });
    page.on('pageerror', (error) => void this.complaints.push(String(error)));
  }

  static async open(url: string): Promise<ReferencePage> {
    const browser = await launch({
      headless: 'shell',
      executablePath: process.env.PUPPETEER_EXECUTABLE_PATH,
      env: { ...process.env, LD_LIBRARY_PATH: process.env.BROWSER_LIBRARY_PATH },
      // It opens only our own page, and root cannot have a sandbox.
      args: ['--no-sandbox'],
    });
    try {
      const reference = new ReferencePage(browser, await browser.newPage());
      await reference.page.goto(url);
      await reference.page.waitForSelector('.opblock');
      return reference;
    } catch (error) {
      await browser.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.browser.close();
  }

  /** Enters the key in the dialog "Authorize". */
  async authorize(key: string): Promise<void> {
    await this.page.click('.btn.authorize');
    await this.page.locator('#auth-bearer-value').fill(key);
    await this.page.click('.auth-container .btn.authorize');
    await this.page.click('.btn-done');
  }

  /** Expands an operation, fills in fields, presses "Execute", reads the response and collapses the operation. */
  execute(operationId: string, fields: Readonly<Record<string, string>> = {}): Promise<Shown> {
    return this.page.evaluate(tryOut, operationId, fields);
  }
}

/** The part of Swagger UI's `window.ui` that is used here. */
interface ReferenceWindow {
  readonly ui: { readonly specSelectors: { specResolvedSubtree(path: readonly string[]): unknown } };
}

/** Runs in the page, as one call for each operation, because every call from outside waits for a busy page. */
async function tryOut(operationId: string, fields: Readonly<Record<string, string>>): Promise<Shown> {
  const find = <T extends HTMLElement>(selector: string): T | null =>
    document.querySelector<T>(`.opblock[id$="-${operationId}"] ${selector}`);
  const deadline = performance.now() + 45_000;
  const until = async <T>(what: string, look: () => T | null | undefined): Promise<T> => {
    for (let found = look(); ; found = look()) {
      if (found) return found;
      if (performance.now() > deadline) throw new Error(`${operationId}: timed out waiting for ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  find('.opblock-summary-control')?.click();
  const { specSelectors } = (window as unknown as ReferenceWindow).ui;
  const method = find('.opblock-summary-method')?.textContent?.toLowerCase() ?? '';
  const path = find('.opblock-summary-path')?.dataset.path ?? '';
  // The page cannot send a request before it has resolved the references of the operation.
  await until('the operation', () => specSelectors.specResolvedSubtree(['paths', path, method]));
  const execute = await until('the button', () => find('.execute'));
  const prefilled: Record<string, string> = {};
  for (const row of find('.parameters-container')?.querySelectorAll('tr[data-param-name]') ?? []) {
    const name = row.getAttribute('data-param-name') ?? '';
    const field = row.querySelector<HTMLInputElement | HTMLTextAreaElement>('input, textarea, select');
    if (field?.value) prefilled[name] = field.value;
    const value = fields[name];
    if (!field || value === undefined) continue;
    // React overrides the setter on the element, and would miss a change made through it.
    Reflect.set(Object.getPrototypeOf(field) as object, 'value', value, field);
    field.dispatchEvent(new Event('input', { bubbles: true }));
    // Leaving the field applies the change at once.
    field.dispatchEvent(new FocusEvent('focusout', { bubbles: true }));
  }
  find('.btn-clear')?.click();
  await until('a clean table', () => !find('.live-responses-table'));
  execute.click();
  const answer = '.live-responses-table tr.response';
  const status = await until('an answer', () => find(`${answer} .response-col_status`));
  // The page may replace the image while it renders the response, which ends the decoding of the first one.
  const refusedAt = performance.now() + 10_000;
  const picture = await until('the picture', () => {
    const image = find<HTMLImageElement>(`${answer} img`);
    if (!image) return { width: null };
    return image.naturalWidth > 0 || performance.now() > refusedAt ? { width: image.naturalWidth } : null;
  });
  const shown = {
    status: parseInt(status.textContent ?? '', 10),
    body: find(`${answer} .response-col_description pre`)?.textContent ?? '',
    picture: picture.width,
    prefilled,
  };
  find('.opblock-summary-control')?.click();
  return shown;
}
