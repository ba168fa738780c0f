import { CaptureError } from './capture-error.js';

/** The settings that a client and its calls have. */
interface Settings {
  readonly key?: string | undefined;
  readonly userAgent?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly retries?: number | undefined;
  readonly idempotencyKey?: string | undefined;
}

/** @throws TypeError that says what a base URL looks like */
export function baseUrlOf(text: string): string {
  const here = (globalThis as { location?: { href: string } }).location?.href;
  const url = URL.canParse(text, here) ? new URL(text, here) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '') {
    throw new TypeError(
      `baseUrl must be the http or https URL of the service, such as https://capture.example.com, and is ${JSON.stringify(text)}.`,
    );
  }
  // Every path of the service begins with its version.
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '').replace(/\/v1$/, '');
}

/** @throws TypeError for settings that can never work, such as those that were read from an empty variable */
export function checkSettings({ timeoutMs, retries, ...texts }: Settings): void {
  for (const name of ['key', 'userAgent', 'idempotencyKey'] as const) checkText(name, texts[name]);
  if (timeoutMs !== undefined && !(timeoutMs > 0)) {
    throw new TypeError(
      `timeoutMs must be a number above 0, of which Infinity is no limit, and is ${timeoutMs}.`,
    );
  }
  if (retries !== undefined && !(retries >= 0)) {
    throw new TypeError(`retries must be a number from 0, and is ${retries}.`);
  }
}

/** @throws CaptureError `invalid_options`: the methods of the client throw nothing else */
export function checkCall(call: Settings): void {
  try {
    checkSettings(call);
  } catch (cause) {
    throw new CaptureError({ code: 'invalid_options', detail: (cause as TypeError).message, cause });
  }
}

/** @throws TypeError for what no header can have; the value may be a secret, and is not shown */
export function checkText(name: string, text: string | undefined): void {
  if (text === undefined || /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text)) return;
  throw new TypeError(
    `${name} must consist of printable ASCII characters, without spaces at its ends; it is empty or has others.`,
  );
}

/**
 * The parts of a path. An empty one, or one of dots, would make it the path of another operation.
 *
 * @throws CaptureError `invalid_options`
 */
export function pathOf<Parts extends Record<string, string>>(parts: Parts): Parts {
  for (const [name, text] of Object.entries<unknown>(parts)) {
    if (typeof text === 'string' && !/^\.{0,2}$/.test(text)) continue;
    const detail = `The ${name} ${JSON.stringify(text) ?? 'undefined'} is none; take it from a record.`;
    throw new CaptureError({ code: 'invalid_options', detail });
  }
  return parts;
}
