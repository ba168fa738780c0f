import { AppError, retryAfterS } from '@app/kernel';
import { VERDICTS } from '../record/verdict.js';
import { defineFamily, type Visit } from '../pipeline/family.js';
import { Text, TextList } from '../pipeline/option-fields.js';
import { inPage, type SafeAccess } from '../pipeline/in-page.js';

const FAILING_VERDICTS = VERDICTS.filter((kind) => kind !== 'page');

/** The longest time that a record has as what the target asks for. */
const MAX_RETRY_AFTER_S = 86_400;

const STATUS_RULE = /^(?:([1-5])xx|([1-5]\d\d)(?:-([1-5]\d\d))?)$/;

export class FailureOptions {
  @TextList('HTTP statuses of the target that make the capture fail with `target_http_error`.', {
    exposure: 'public',
    maxItems: 50,
    maxLength: 7,
    check: statusFault,
    example: ['404', '5xx', '500-511'],
  })
  fail_on_status: string[] = [];

  @Text('Makes the capture fail when this text is on the page. Case and white space are ignored.', {
    exposure: 'public',
    max: 1_000,
  })
  fail_if_text?: string;

  @Text('Makes the capture fail when this text is not on the page. Case and white space are ignored.', {
    exposure: 'public',
    max: 1_000,
  })
  fail_if_text_missing?: string;

  @TextList(
    'Verdicts on the page that make the capture fail with `condition_failed`: nothing is drawn, a challenge of a bot manager or a CAPTCHA, a log-in instead of the page, an error page. The error has the verdict and its evidence.',
    {
      exposure: 'public',
      maxItems: VERDICTS.length,
      maxLength: 20,
      choices: FAILING_VERDICTS,
      example: ['blank', 'bot_wall'],
    },
  )
  fail_on_verdict: string[] = [];
}

function statusFault(rules: readonly string[]): string | undefined {
  const bad = rules.find((rule) => !rangeOf(rule));
  return bad === undefined
    ? undefined
    : 'must only contain statuses (404), classes (4xx) and ranges (500-511)';
}

function rangeOf(rule: string): { from: number; to: number } | undefined {
  const [match, digit, first, last] = STATUS_RULE.exec(rule) ?? [];
  if (match === undefined) return undefined;
  if (digit !== undefined) return { from: Number(digit) * 100, to: Number(digit) * 100 + 99 };
  const from = Number(first);
  const to = Number(last ?? first);
  return from <= to ? { from, to } : undefined;
}

/** Whether a status matches one of the rules (`404`, `4xx`, `500-511`). */
export function matchesStatus(rules: readonly string[], status: number): boolean {
  return rules.some((rule) => {
    const range = rangeOf(rule);
    return range !== undefined && status >= range.from && status <= range.to;
  });
}

function arrive(visit: Visit, options: FailureOptions): void {
  const { response } = visit;
  const status = response?.status();
  if (!response || status === undefined || !matchesStatus(options.fail_on_status, status)) return;
  const waitS = retryAfterS(response.headers()['retry-after'], new Date(Date.now()));
  throw new AppError('target_http_error', {
    detail: `The target answered ${status}.`,
    ...(waitS > 0 && { targetRetryAfterS: Math.min(waitS, MAX_RETRY_AFTER_S) }),
  });
}

async function settle(visit: Visit, options: FailureOptions): Promise<void> {
  const { fail_if_text: unwanted, fail_if_text_missing: wanted } = options;
  if (unwanted !== undefined && (await inPage(visit, hasText, unwanted))) {
    throw new AppError('condition_failed', { detail: 'The text of fail_if_text is on the page.' });
  }
  if (wanted !== undefined && !(await inPage(visit, hasText, wanted))) {
    throw new AppError('condition_failed', {
      detail: 'The text of fail_if_text_missing is not on the page.',
    });
  }
}

/** Runs in the page. Whether the text is visible. */
function hasText(text: string, safe: SafeAccess): boolean {
  const plain = (raw: string): string => raw.replace(/\s+/g, ' ').trim().toLowerCase();
  const page = safe(document);
  // Despite the DOM types there may be no root, and an XML root has no innerText.
  const root = (page.body ?? page.documentElement) as HTMLElement | null;
  const seen = root && ((safe(root).innerText as string | undefined) ?? safe(root).textContent);
  return plain(seen ?? '').includes(plain(text));
}

export const failure = defineFamily(
  { name: 'failure', doc: 'Conditions that make a capture fail.' },
  FailureOptions,
  { arrive, settle },
);
