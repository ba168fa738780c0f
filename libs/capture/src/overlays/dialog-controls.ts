import type { SafeAccess } from '../pipeline/in-page.js';
import type { DialogAnswer, DialogWords } from './dialog-words.js';
import type { FloatingElements } from './floating-elements.js';

/** A button, or what works as one. */
export interface DialogControl {
  readonly element: HTMLElement;
  /** Its words, or its label when it has none. */
  readonly text: string;
  readonly answer: DialogAnswer | undefined;
}

/**
 * Runs in the page: finds the controls of a dialog, also in its open shadow roots, and what each answers.
 *
 * The class is sent as text, so that it refers to nothing but its arguments and the browser.
 */
export class DialogControls {
  private readonly selector =
    'button, [role="button"], input[type="button"], input[type="submit"], input[type="image"], a, summary, [onclick]';

  constructor(
    private readonly safe: SafeAccess,
    private readonly floats: FloatingElements,
    private readonly words: DialogWords,
  ) {}

  /** Whether a pointer reaches it: it is neither cut off nor below something else. */
  isReachable({ element }: DialogControl): boolean {
    const { left, top, right, bottom } = this.safe(element).getBoundingClientRect();
    return this.floats.contains(element, this.floats.hit((left + right) / 2, (top + bottom) / 2));
  }

  /** At most 60 that are visible and enabled, without those that hold others. */
  find(root: Element): DialogControl[] {
    const all = this.floats
      .shownIn(root, 1_500)
      .filter((element) => element instanceof HTMLElement && this.isControl(element)) as HTMLElement[];
    return all
      .filter(
        (element) =>
          this.isUsable(element) &&
          !all.some((other) => other !== element && this.floats.contains(element, other)),
      )
      .slice(0, 60)
      .map((element) => {
        const text = this.textOf(element);
        return { element, text, answer: this.answerOf(text) };
      });
  }

  /** What a dialog says, without its links and controls. */
  private wordsAround(root: Element, length: number): string {
    return this.floats.wordsOf(root, length, (element) => element !== root && this.isControl(element));
  }

  /** Whether a dialog asks for consent. */
  asksForConsent(root: Element, controls: readonly Pick<DialogControl, 'answer'>[]): boolean {
    const text = this.wordsAround(root, 5_000);
    return this.words.asksForConsent(
      text,
      controls.map(({ answer }) => answer),
    );
  }

  answerOf(text: string): DialogAnswer | undefined {
    return this.words.answerOf(text);
  }

  private isControl(element: Element): boolean {
    return this.safe(element).matches(this.selector);
  }

  private isUsable(element: HTMLElement): boolean {
    const { width, height } = this.safe(element).getBoundingClientRect();
    return (
      width > 0 && height > 0 && this.floats.isVisible(element) && !this.safe(element).matches(':disabled')
    );
  }

  private textOf(element: HTMLElement): string {
    const own = this.safe(element);
    const value = element instanceof HTMLInputElement ? this.safe(element).value : '';
    const words = this.floats.wordsOf(element, 200);
    const label = [own.getAttribute('aria-label'), own.getAttribute('title')].find(
      (text) => (text ?? '').trim() !== '',
    );
    const picture = own.querySelector('img[alt], svg > title');
    const described = picture
      ? (this.safe(picture).getAttribute('alt') ?? this.safe(picture).textContent)
      : '';
    return (
      [words, value, label ?? '', described]
        .find((text) => text.trim() !== '')
        ?.trim()
        .slice(0, 200) ?? ''
    );
  }
}
