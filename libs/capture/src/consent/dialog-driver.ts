import type { SafeAccess } from '../pipeline/in-page.js';
import type { AutoConsent, ConsentChoice, ConsentEngine, Message, Rule } from './consent-engine.js';
import type { DialogSelectors } from './dialog-selectors.js';
import type { UnknownDialogs } from './unknown-dialogs.js';

export interface DriverSetup {
  readonly choice: ConsentChoice;
  /** Names of the rules of our own, which come before those of autoconsent. */
  readonly own: readonly string[];
  /** Selectors of the buttons with which a visitor changes an answer. */
  readonly reopening: readonly string[];
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

interface DriverParts {
  readonly safe: SafeAccess;
  readonly unknown: UnknownDialogs;
  readonly selectors: DialogSelectors;
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
  private unknownOne: HTMLElement | undefined;
  private readonly safe: SafeAccess;
  private readonly unknown: UnknownDialogs;
  private readonly selectors: DialogSelectors;
  private task: Promise<unknown> = Promise.resolve(null);
  private isDone = true;
  private value: unknown = null;
  private snippets: SnippetRequest[] = [];
  private wake = (): void => undefined;
  private isActing = false;
  private isRefused = false;

  constructor(
    engine: ConsentEngine,
    private readonly setup: DriverSetup,
    { safe, unknown, selectors }: DriverParts,
  ) {
    this.safe = safe;
    this.unknown = unknown;
    this.selectors = selectors;
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
    if (this.open) return this.selectors.ofRule(this.open);
    return this.unknownOne ? this.selectors.ofElement(this.unknownOne) : [];
  }

  /** Whether a dialog is displayed that no rule knows. */
  showsUnknown(): boolean {
    return this.unknown.find() !== undefined;
  }

  /** Ends the work with dialogs that are gone: hides the buttons that open them again. */
  hideReopeners(): void {
    const { reopening } = this.setup;
    const page = this.safe(document);
    if (reopening.some((selector) => page.querySelector(selector))) this.hide(reopening.join());
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
    const rankOf = (rule: Rule): number => (this.setup.own.includes(rule.name) ? 0 : rule.isCosmetic ? 2 : 1);
    for (const rank of [0, 1, 2]) {
      const rules = this.found.filter((rule) => rankOf(rule) === rank);
      this.open ??= await Promise.any(rules.map(ask)).catch(() => undefined);
    }
    this.unknownOne = this.open ? undefined : this.unknown.find();
    return (this.open ?? this.unknownOne) !== undefined;
  }

  private async detect(rules: readonly Rule[]): Promise<Rule[]> {
    const isPresent = (rule: Rule): Promise<boolean> => rule.detectCmp().catch(() => false);
    const present = await Promise.all(rules.map(isPresent));
    return rules.filter((_, index) => present[index]);
  }

  /** Answers the open dialog. Returns whether the choice was made as the rule says. */
  private async act(): Promise<boolean> {
    this.isActing = true;
    this.isRefused = false;
    try {
      const isDone = this.open !== undefined && (await this.answer(this.open));
      if (isDone && !this.isRefused) return true;
      this.isRefused = false;
      return this.isActing && this.answerByWords() && !this.isRefused;
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

  /** Answers by what the buttons say. */
  private answerByWords(): boolean {
    const page = this.safe(document);
    const known = this.open ? this.selectors.ofRule(this.open) : [];
    const elements = this.unknownOne
      ? [this.unknownOne]
      : known.flatMap((each) => [...page.querySelectorAll(each)].slice(0, 5));
    return this.unknown.answer(elements, this.setup.choice);
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
      const leaves =
        event.type === 'submit' || event.composedPath().some((node) => this.leadsElsewhere(node));
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
    return this.unknown.consents(text);
  }

  private isOfThisSite(): boolean {
    const pattern = this.open?.runContext?.urlPattern ?? '';
    return pattern.startsWith('^http') && this.open?.hasMatchingUrlPattern() === true;
  }

  private leadsElsewhere(node: EventTarget): boolean {
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
}
