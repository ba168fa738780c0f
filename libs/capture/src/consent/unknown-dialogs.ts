import type { DialogControl, DialogControls } from '../overlays/dialog-controls.js';
import type { DialogAnswer } from '../overlays/dialog-words.js';
import type { FloatingElements } from '../overlays/floating-elements.js';
import type { SafeAccess } from '../pipeline/in-page.js';
import type { ConsentChoice, ConsentEngine } from './consent-engine.js';

/**
 * Runs in the page, in the isolated world of the driver: finds consent dialogs that no rule knows, by what they do and say, and
 * answers dialogs by what their buttons say.
 *
 * The class is sent as text, so that it refers to nothing but its arguments and the browser.
 */
export class UnknownDialogs {
  constructor(
    private readonly engine: ConsentEngine,
    private readonly floats: FloatingElements,
    private readonly controls: DialogControls,
    private readonly safe: SafeAccess,
  ) {}

  /** An element that floats or is a dialog, asks for consent, and has a button that answers. */
  find(): HTMLElement | undefined {
    const MAX_MS = 60;
    const until = performance.now() + MAX_MS;
    return this.candidates().find((element) => performance.now() < until && this.asksForConsent(element));
  }

  /** Clicks the button in these elements that answers. Returns whether there is one. */
  answer(elements: readonly Element[], choice: ConsentChoice): boolean {
    const all = elements.flatMap((element) => this.controls.find(element));
    const { reachable = [], others = [] } = Object.groupBy(all, (each) =>
      this.controls.isReachable(each) ? 'reachable' : 'others',
    );
    const controls = [...reachable, ...others];
    const wanted = choice === 'accept' ? ['accept', 'acknowledge'] : ['reject'];
    for (const kind of wanted) {
      const control = controls.find((each) => this.kindOf(each) === kind);
      if (!control) continue;
      control.element.click();
      return true;
    }
    return false;
  }

  /** Whether a text of a button says that it consents. */
  consents(text: string): boolean {
    return ['accept', 'acknowledge'].includes(this.kindOfText(text) ?? '');
  }

  private candidates(): HTMLElement[] {
    // A frame in the page is a dialog as a whole.
    if (window !== window.top) return window.parent === window.top ? [this.safe(document).body] : [];
    const dialogs = this.safe(document).querySelectorAll<HTMLElement>(
      '[role="dialog"], [role="alertdialog"], [aria-modal="true"], dialog[open]',
    );
    const floating = this.floats.find().map(({ element }) => element);
    return [...new Set([...floating, ...[...dialogs].slice(0, 50)])].filter(
      (element) => this.floats.isVisible(element) && this.isLargeEnough(element),
    );
  }

  private isLargeEnough(element: HTMLElement): boolean {
    const { width, height } = this.floats.boxOf(element);
    return width >= 120 && height >= 20;
  }

  private asksForConsent(element: HTMLElement): boolean {
    const MAX_WORDS = 4_000;
    const MAX_LINKS = 25;
    const text = this.floats.wordsOf(element, MAX_WORDS + 1);
    if (text === '' || text.length > MAX_WORDS || this.engine.isExcludedPopup(text)) return false;
    const inside = this.floats.shownIn(element, 1_500);
    const parts =
      'main, article, h1 ~ p ~ p ~ p ~ p, textarea, input:is([type="email"], [type="password"], [type="search"], [type="tel"], [type="text"], :not([type]))';
    if (inside.some((each) => this.safe(each).matches(parts) && this.floats.isVisible(each))) return false;
    if (inside.filter((each) => each instanceof HTMLAnchorElement).length > MAX_LINKS) return false;
    const controls = this.controls.find(element).map((each) => ({ ...each, answer: this.answerOf(each) }));
    if (this.controls.asksForConsent(element, controls)) return true;
    const isPhrased = this.engine.checkHeuristicPatterns(text).patterns.length > 0;
    return isPhrased && controls.some(({ answer }) => answer !== undefined);
  }

  private answerOf(control: DialogControl): DialogAnswer | undefined {
    const kind = this.kindOf(control);
    return kind === 'acknowledge' ? 'accept' : kind;
  }

  private kindOf({ text }: DialogControl): DialogAnswer | 'acknowledge' | undefined {
    return this.kindOfText(text);
  }

  /** By the patterns of autoconsent, else by our words, which know more languages. */
  private kindOfText(text: string): DialogAnswer | 'acknowledge' | undefined {
    const kind = this.engine.classifyButtonTextRegex(text.trim().slice(0, 200));
    return kind === 'other' ? this.controls.answerOf(text) : kind;
  }
}
