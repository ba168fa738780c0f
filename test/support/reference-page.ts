import { launch, type Browser, type Page } from 'puppeteer';

/** What the reference page shows after "Execute". */
export interface Shown {
  readonly status: number;
  /** The body as text, when it is shown as one. */
  readonly body: string;
  /** Width of the picture, when one is shown; 0 for one that the page may not show. */
  readonly picture: number | null;
  /** What was in the fields without anybody having written it. */
  readonly prefilled: Readonly<Record<string, string>>;
}

/** The reference at /docs in a browser of its own, used as a reader does: by its fields and buttons. */
export class ReferencePage {
  /** What the browser complained of: blocked resources, errors of scripts. */
  readonly complaints: string[] = [];

  private constructor(
    private readonly browser: Browser,
    readonly page: Page,
  ) {
    page.on('console', (message) => {
      // An answer that is an error is logged, too, and is no complaint.
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
      // It opens nothing but our own page, and root may have no other.
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

  /** Puts the key in, in the dialog "Authorize". */
  async authorize(key: string): Promise<void> {
    await this.page.click('.btn.authorize');
    await this.page.locator('#auth-bearer-value').fill(key);
    await this.page.click('.auth-container .btn.authorize');
    await this.page.click('.btn-done');
  }

  /** Unfolds an operation, fills in the fields named, presses "Execute", reads the answer and folds the operation again. */
  execute(operationId: string, fields: Readonly<Record<string, string>> = {}): Promise<Shown> {
    return this.page.evaluate(tryOut, operationId, fields);
  }
}

/** What the page keeps of itself under `window.ui`. */
interface ReferenceWindow {
  readonly ui: { readonly specSelectors: { specResolvedSubtree(path: readonly string[]): unknown } };
}

/** Runs in the page: one call for a whole operation, because each look from outside waits for a busy page. */
async function tryOut(operationId: string, fields: Readonly<Record<string, string>>): Promise<Shown> {
  const find = <T extends HTMLElement>(selector: string): T | null =>
    document.querySelector<T>(`.opblock[id$="-${operationId}"] ${selector}`);
  const deadline = performance.now() + 45_000;
  const until = async <T>(what: string, look: () => T | null | undefined): Promise<T> => {
    for (let found = look(); ; found = look()) {
      if (found) return found;
      if (performance.now() > deadline) throw new Error(`${operationId}: ${what} did not come`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  find('.opblock-summary-control')?.click();
  const { specSelectors } = (window as unknown as ReferenceWindow).ui;
  const method = find('.opblock-summary-method')?.textContent?.toLowerCase() ?? '';
  const path = find('.opblock-summary-path')?.dataset.path ?? '';
  // Before it has read what it refers to, the page cannot send it.
  await until('the operation', () => specSelectors.specResolvedSubtree(['paths', path, method]));
  const execute = await until('the button', () => find('.execute'));
  const prefilled: Record<string, string> = {};
  for (const row of find('.parameters-container')?.querySelectorAll('tr[data-param-name]') ?? []) {
    const name = row.getAttribute('data-param-name') ?? '';
    const field = row.querySelector<HTMLInputElement | HTMLTextAreaElement>('input, textarea, select');
    if (field?.value) prefilled[name] = field.value;
    const value = fields[name];
    if (!field || value === undefined) continue;
    // React keeps a setter of its own on the element, by which it would miss the change.
    Reflect.set(Object.getPrototypeOf(field) as object, 'value', value, field);
    field.dispatchEvent(new Event('input', { bubbles: true }));
    // Which is passed on at once when the field is left, and otherwise only later.
    field.dispatchEvent(new FocusEvent('focusout', { bubbles: true }));
  }
  find('.btn-clear')?.click();
  await until('a clean table', () => !find('.live-responses-table'));
  execute.click();
  const answer = '.live-responses-table tr.response';
  const status = await until('an answer', () => find(`${answer} .response-col_status`));
  const image = find<HTMLImageElement>(`${answer} img`);
  await image?.decode().catch(() => undefined);
  const shown = {
    status: parseInt(status.textContent ?? '', 10),
    body: find(`${answer} .response-col_description pre`)?.textContent ?? '',
    picture: image?.naturalWidth ?? null,
    prefilled,
  };
  find('.opblock-summary-control')?.click();
  return shown;
}
