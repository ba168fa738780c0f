import type { Visit } from '../pipeline/family.js';

/** What stands for a secret. */
const HIDDEN = '[redacted]';

/** The origins into whose documents secrets may be typed: that of the target, and those of the session. */
export function secretOrigins({ target, session }: Pick<Visit, 'target' | 'session'>): readonly string[] {
  return [target?.origin ?? 'null', ...(session?.origins ?? [])];
}

/** The secrets that a capture has typed into its page, which may come back in whatever the page says. */
export class TypedSecrets {
  private readonly values = new Set<string>();

  add(text: string): void {
    this.values.add(text);
  }

  /** Those that were typed. */
  get typed(): readonly string[] {
    return [...this.values];
  }

  /** The value with each secret in its texts replaced, however a URL or HTML writes it. */
  hideIn<Value>(value: Value): Value {
    const forms = this.typed.flatMap(formsOf).sort((one, other) => other.length - one.length);
    return hiddenIn(value, forms) as Value;
  }
}

function formsOf(secret: string): string[] {
  const form = new URLSearchParams({ '': secret }).toString().slice(1);
  const json = JSON.stringify(secret).slice(1, -1);
  const html = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const forms = [
    secret,
    encodeURI(secret),
    encodeURIComponent(secret),
    form,
    json,
    html,
    html.replaceAll('"', '&quot;'),
  ];
  return [...new Set(forms)];
}

function hiddenIn(value: unknown, forms: readonly string[]): unknown {
  if (typeof value === 'string') return forms.reduce((text, form) => text.replaceAll(form, HIDDEN), value);
  if (Array.isArray(value)) return value.map((item) => hiddenIn(item, forms));
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, hiddenIn(item, forms)]));
}
