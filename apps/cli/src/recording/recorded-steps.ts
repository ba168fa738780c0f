import type { PageEvent } from './watch-page.js';

/** A step as the Recorder of Chrome's DevTools writes it; `secret` and `totp` name what was typed, in place of a `value`. */
export interface RecordedStep {
  readonly type: 'navigate' | 'click' | 'change' | 'keyDown' | 'keyUp';
  readonly target?: 'main';
  readonly url?: string;
  readonly selectors?: readonly (readonly string[])[];
  readonly frame?: readonly number[];
  readonly offsetX?: number;
  readonly offsetY?: number;
  readonly value?: string;
  readonly secret?: string;
  readonly totp?: string;
  readonly key?: string;
}

/** What a person did, as a recording. */
export interface Recording {
  readonly title: string;
  readonly steps: readonly RecordedStep[];
}

/** Collects what a person does as the steps of a recording. */
export class RecordedSteps {
  private readonly steps: RecordedStep[] = [];
  /** The names of secrets, by the field in which each was typed. */
  private readonly secrets = new Map<string, string>();

  /** The names of the secrets that the steps need, in their order. */
  get secretNames(): readonly string[] {
    return [...this.secrets.values()];
  }

  /** Whether anything was done besides opening pages. */
  get hasActions(): boolean {
    return this.steps.some(({ type }) => type !== 'navigate');
  }

  recording(title: string): Recording {
    return { title, steps: this.steps };
  }

  navigate(url: string): void {
    this.steps.push({ type: 'navigate', url });
  }

  add(event: PageEvent): void {
    if (event.type === 'key') {
      const { key } = event;
      this.steps.push({ type: 'keyDown', target: 'main', key }, { type: 'keyUp', target: 'main', key });
      return;
    }
    const { selectors, frame } = event;
    const place = { target: 'main', selectors, ...(frame.length > 0 && { frame }) } as const;
    if (event.type === 'click') {
      const [offsetX, offsetY] = [Math.round(event.offsetX), Math.round(event.offsetY)];
      this.steps.push({ type: 'click', ...place, offsetX, offsetY });
    } else {
      this.change({ type: 'change', ...place, ...this.textOf(event) });
    }
  }

  /** Typing on in the same field replaces what was typed there. */
  private change(step: RecordedStep): void {
    const last = this.steps.at(-1);
    if (last?.type === 'change' && fieldOf(last) === fieldOf(step)) this.steps.pop();
    this.steps.push(step);
  }

  private textOf(event: Extract<PageEvent, { type: 'change' | 'secret' }>): Partial<RecordedStep> {
    if (event.type === 'change') return { value: event.value };
    const name = this.secretIn(fieldOf(event), event.isCode ? 'code' : 'password');
    return event.isCode ? { totp: name } : { secret: name };
  }

  private secretIn(field: string, base: string): string {
    const taken = this.secretNames.filter((name) => name.startsWith(base)).length;
    const name = this.secrets.get(field) ?? (taken === 0 ? base : `${base}_${taken + 1}`);
    this.secrets.set(field, name);
    return name;
  }
}

function fieldOf({ selectors, frame }: Pick<RecordedStep, 'selectors' | 'frame'>): string {
  return JSON.stringify([selectors, frame ?? []]);
}
