import { Text, TextList } from '@app/kernel';
import { defineFamily } from '../pipeline/family.js';

const STATUS_RULE = /^(?:([1-5])xx|([1-5]\d\d)(?:-([1-5]\d\d))?)$/;

export class FailureOptions {
  @TextList('HTTP statuses of the target that fail the capture with `target_http_error`.', {
    maxItems: 50,
    maxLength: 7,
    check: statusFault,
    example: ['404', '5xx', '500-511'],
  })
  fail_on_status: string[] = [];

  @Text('Fails the capture when this text is on the page; case and white space do not matter.', {
    max: 1_000,
  })
  fail_if_text?: string;

  @Text('Fails the capture when this text is not on the page; case and white space do not matter.', {
    max: 1_000,
  })
  fail_if_text_missing?: string;
}

function statusFault(rules: readonly string[]): string | undefined {
  const bad = rules.find((rule) => !rangeOf(rule));
  return bad === undefined
    ? undefined
    : 'each item must be a status (404), a class (4xx) or a range (500-511)';
}

function rangeOf(rule: string): { from: number; to: number } | undefined {
  const [match, digit, first, last] = STATUS_RULE.exec(rule) ?? [];
  if (match === undefined) return undefined;
  if (digit !== undefined) return { from: Number(digit) * 100, to: Number(digit) * 100 + 99 };
  const from = Number(first);
  const to = Number(last ?? first);
  return from <= to ? { from, to } : undefined;
}

export const failure = defineFamily(
  'failure',
  'What makes a capture fail that would succeed.',
  FailureOptions,
);
