import type { SafeAccess } from '../pipeline/in-page.js';
import type { AutoConsent, ConsentEngine, Message, Popup, Rule } from './consent-engine.js';

/** The values of `cookie_consent`. */
export type ConsentChoice = 'reject' | 'accept' | 'hide';

export interface DriverSetup {
  readonly choice: ConsentChoice;
  /** Rules of autoconsent, without the steps that the choice does not need. */
  readonly rules: readonly unknown[];
  /** Names of rules whose dialogs are only hidden. */
  readonly hideOnly: readonly string[];
}

/** A piece of code that a rule needs to have evaluated in the page's own world. */
export interface SnippetRequest {
  readonly id: string;
  readonly snippet: string;
}

/** The state of a task of the driver: it has ended, or it waits for the values of snippets. */
export interface DriverStep {
  readonly isDone: boolean;
  readonly value: unknown;
  readonly snippets: readonly SnippetRequest[];
}

/** What the driver sees in a document. */
export interface DialogLook {
  /** Name of the rule of the first manager that was recognised, whether or not its dialog is open. */
  readonly manager: string | null;
  readonly isOpen: boolean;
}

/**
 * Runs in the page, in an isolated world: recognises consent dialogs by the rules of autoconsent and answers them.
 *
 * It is called from outside and calls nobody: the page can neither see nor reach it. A task that needs code of the page's own
 * world stops and hands out the name of a snippet, and goes on with its value.
 *
 * The class is sent as text, so that it refers to nothing but its arguments and the browser.
 */
export class DialogDriver {
  private readonly consent: AutoConsent;
  private found: Rule[] = [];
  private open: Rule | undefined;
  private unknown: Popup | undefined;
  private task: Promise<unknown> = Promise.resolve(null);
  private isDone = true;
  private value: unknown = null;
  private snippets: SnippetRequest[] = [];
  private wake = (): void => undefined;
  private isActing = false;
  private isRefused = false;

  constructor(
    private readonly engine: ConsentEngine,
    private readonly setup: DriverSetup,
    private readonly safe: SafeAccess,
  ) {
    this.consent = new engine.AutoConsent((message) => this.receive(message), {
      enabled: false,
      logs: { lifecycle: false, rulesteps: false, detectionsteps: false, evals: false, errors: false },
    });
    this.consent.parseDeclarativeRules({ autoconsent: setup.rules });
    // Autoconsent would insert a style element, which the page could find by its id.
    this.consent.domActions.hide = (selector) => this.hide(selector);
    this.guardClicks();
  }

  /** Starts a task and returns its first step. */
  begin(task: 'look' | 'isOpen' | 'act'): Promise<DriverStep> {
    this.isDone = false;
    this.value = null;
    this.snippets = [];
    this.task = this[task]()
      .catch(() => null)
      .then((value) => {
        this.value = value;
        this.isDone = true;
      });
    return this.step();
  }

  /** Goes on with the values of the snippets of the last step. */
  async resume(values: readonly (readonly [id: string, value: boolean])[]): Promise<DriverStep> {
    for (const [id, result] of values)
      await this.consent.receiveMessageCallback({ type: 'evalResp', id, result });
    return this.step();
  }

  /** Ends the answer: what is left of it clicks nothing any more. */
  stop(): void {
    this.isActing = false;
  }

  /** CSS selectors of the dialogs that were found open. */
  dialogSelectors(): string[] {
    if (this.open) return this.selectorsOf(this.open);
    return this.unknown ? [this.selectorOf(this.unknown.element)] : [];
  }

  private async step(): Promise<DriverStep> {
    if (this.snippets.length === 0 && !this.isDone) {
      const asked = new Promise<void>((resolve) => {
        this.wake = resolve;
      });
      await Promise.race([this.task, asked]);
      // All rules that run side by side have asked by now.
      await Promise.resolve();
    }
    return { isDone: this.isDone, value: this.value, snippets: this.snippets.splice(0) };
  }

  private receive({ type, id, snippetId }: Message): void {
    if (type !== 'eval' || id === undefined || snippetId === undefined) return;
    this.snippets.push({ id, snippet: snippetId });
    this.wake();
  }

  private async look(): Promise<DialogLook> {
    const { rules } = this.consent;
    this.found = await this.detect(rules.filter((rule) => rule.hasMatchingUrlPattern()));
    if (this.found.length === 0) {
      this.found = await this.detect(rules.filter((rule) => !rule.runContext?.urlPattern));
    }
    const isOpen = await this.isOpen();
    return { manager: (this.open ?? this.found[0])?.name ?? null, isOpen };
  }

  /** Whether a dialog of a recognised manager is open, or one that looks like a consent dialog. */
  private async isOpen(): Promise<boolean> {
    const ask = async (rule: Rule): Promise<Rule> => {
      if (await rule.detectPopup()) return rule;
      throw new Error('closed');
    };
    this.open = undefined;
    // A rule that only hides counts when there is no other one.
    for (const isCosmetic of [false, true]) {
      const rules = this.found.filter((rule) => rule.isCosmetic === isCosmetic);
      this.open ??= await Promise.any(rules.map(ask)).catch(() => undefined);
    }
    this.unknown = this.open ? undefined : this.findUnknown();
    return (this.open ?? this.unknown) !== undefined;
  }

  private async detect(rules: readonly Rule[]): Promise<Rule[]> {
    const isPresent = (rule: Rule): Promise<boolean> => rule.detectCmp().catch(() => false);
    const present = await Promise.all(rules.map(isPresent));
    return rules.filter((_, index) => present[index]);
  }

  /** An element that looks like a consent dialog: it floats, asks about cookies, and has a button that answers. */
  private findUnknown(): Popup | undefined {
    const MAX_TEXT = 3_000;
    const SEARCH_MS = 30;
    return this.engine.getPotentialPopups(SEARCH_MS).find((popup) => {
      const { text, buttons, element } = popup;
      if (text.length > MAX_TEXT || element.querySelector('main, article, h1 ~ p ~ p ~ p ~ p')) return false;
      if (this.engine.isExcludedPopup(text) || this.engine.checkHeuristicPatterns(text).patterns.length === 0)
        return false;
      this.engine.classifyButtons(buttons);
      return buttons.some(({ regexClassification: kind }) => kind !== undefined && kind !== 'other');
    });
  }

  /** Answers the open dialog. Returns whether the choice was made as the rule says. */
  private async act(): Promise<boolean> {
    this.isActing = true;
    this.isRefused = false;
    try {
      const isDone = this.open ? await this.answer(this.open) : this.answerUnknown();
      return isDone && !this.isRefused;
    } finally {
      this.isActing = false;
    }
  }

  private answer(rule: Rule): Promise<boolean> {
    const { choice, hideOnly } = this.setup;
    if (choice === 'accept') return rule.optIn();
    if (rule.isCosmetic || hideOnly.includes(rule.name)) return Promise.resolve(false);
    return rule.optOut();
  }

  private answerUnknown(): boolean {
    const wanted = this.setup.choice === 'accept' ? ['accept', 'acknowledge'] : ['reject'];
    const buttons = this.unknown?.buttons ?? [];
    const button = wanted
      .map((kind) => buttons.find(({ regexClassification }) => regexClassification === kind))
      .find((each) => each !== undefined);
    button?.element.click();
    return button !== undefined;
  }

  /**
   * All clicks of autoconsent are calls of `click` in this world. Unless the choice is to accept, a button that says that it
   * accepts is not clicked, whatever the rule says. No click leaves the page: a link or form is only followed for a rule that
   * is written for this very site.
   */
  private guardClicks(): void {
    const click: unknown = Reflect.get(HTMLElement.prototype, 'click');
    const mayClick = (element: HTMLElement): boolean => {
      if (this.isActing && (this.setup.choice === 'accept' || !this.consents(element))) return true;
      this.isRefused = true;
      return false;
    };
    HTMLElement.prototype.click = function (this: HTMLElement): void {
      if (mayClick(this) && typeof click === 'function') Reflect.apply(click, this, []);
    };
    const stay = (event: Event): void => {
      if (!this.isActing || this.isOfThisSite()) return;
      const leaves = event.type === 'submit' || event.composedPath().some((node) => this.leads(node));
      if (leaves) event.preventDefault();
    };
    // Before the listeners of the page, which may stop the event.
    for (const type of ['click', 'submit']) window.addEventListener(type, stay, { capture: true });
  }

  private consents(element: HTMLElement): boolean {
    const own = this.safe(element);
    const value = element instanceof HTMLInputElement ? this.safe(element).value : '';
    const texts = [
      own.innerText,
      value,
      own.getAttribute('aria-label') ?? '',
      own.getAttribute('title') ?? '',
    ];
    const text = texts.find((each) => each.trim() !== '') ?? '';
    return ['accept', 'acknowledge'].includes(this.engine.classifyButtonTextRegex(text.trim().slice(0, 200)));
  }

  private isOfThisSite(): boolean {
    const pattern = this.open?.runContext?.urlPattern ?? '';
    return pattern.startsWith('^http') && this.open?.hasMatchingUrlPattern() === true;
  }

  private leads(node: EventTarget): boolean {
    if (!(node instanceof HTMLAnchorElement || node instanceof HTMLAreaElement)) return false;
    const href = node.getAttribute('href');
    return href !== null && !/^\s*(#|javascript:)/i.test(href);
  }

  private hide(selector: string): boolean {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`${selector} { display: none !important }`);
    const page = this.safe(document);
    page.adoptedStyleSheets = [...page.adoptedStyleSheets, sheet];
    return selector.length > 0;
  }

  /** Those of the whole dialog if the rule has any, or else the outermost floating element around what shows that it is open. */
  private selectorsOf({ prehideSelectors = [], rule }: Rule): string[] {
    const page = this.safe(document);
    const isThere = (selector: string): boolean => {
      try {
        return page.querySelector(selector) !== null;
      } catch {
        return false;
      }
    };
    const known = prehideSelectors.filter(isThere);
    if (known.length > 0) return known;
    return (rule?.detectPopup ?? [])
      .flatMap(({ visible, exists }) => visible ?? exists ?? [])
      .filter((selector) => !selector.startsWith('xpath/') && isThere(selector))
      .flatMap((selector) => [...page.querySelectorAll(selector)].slice(0, 5))
      .map((element) => this.selectorOf(this.floating(element)));
  }

  private floating(element: Element): Element {
    let outermost = element;
    const end = this.safe(document).body;
    for (let each: Element | null = element; each && each !== end; each = this.safe(each).parentElement) {
      if (['fixed', 'sticky'].includes(getComputedStyle(each).position)) outermost = each;
    }
    return outermost;
  }

  /** A selector of the element that also fits when the page puts it there again. */
  private selectorOf(element: Element): string {
    const { id, localName, classList, parentElement } = this.safe(element);
    if (id !== '') return `#${CSS.escape(id)}`;
    const classes = [...classList].slice(0, 8).map((name) => `.${CSS.escape(name)}`);
    const byClass = `${CSS.escape(localName)}${classes.join('')}`;
    const page = this.safe(document);
    if (classes.length > 0 && page.querySelectorAll(byClass).length <= 2) return byClass;
    if (!parentElement) return byClass;
    const position = [...this.safe(parentElement).children].indexOf(element) + 1;
    const parent = parentElement === page.body ? 'body' : this.selectorOf(parentElement);
    return `${parent} > ${CSS.escape(localName)}:nth-child(${position})`;
  }
}
