import { describe, expect, it } from '@jest/globals';
import { AppError } from '@app/kernel';
import { OPTION_SAMPLES, TARGET } from '../../../../test/support/option-samples.js';
import { DefaultOptions } from './default-options.js';
import { complete, givenOptions, parseOptionsOver, storedOptions } from './parse-options.js';
import { RowOptions } from './row-options.js';

type Given = Record<string, unknown>;

const OTHER_URL = 'http://other.test:8080/x';

/** Every option with a value of its own, beside what the value needs. */
const SAMPLES: [string, Given][] = Object.entries(OPTION_SAMPLES).map(([name, [, value, company = {}]]) => {
  const given = { ...TARGET, ...company, [name]: value };
  return [name, Object.fromEntries(Object.entries(given).filter(([, each]) => each !== undefined))];
});

function outcome(parse: () => unknown): unknown {
  try {
    return parse();
  } catch (error) {
    if (error instanceof AppError) return error.facts.errors;
    throw error;
  }
}

describe(RowOptions.name, () => {
  it('checks rows once that state the same options for other addresses', () => {
    const rows = new RowOptions({ format: 'webp' });
    for (let i = 0; i < 100; i++) {
      const raw = { url: `https://EXAMPLE.com/${i}`, quality: 50, reference: `r${i}` };
      expect(complete(rows.check(raw))).toEqual(parseOptionsOver({ format: 'webp' }, raw));
    }
    expect(rows.fullChecks).toBe(1);
  });

  it.each([
    ['another value', { url: TARGET.url, quality: 51, format: 'webp' }],
    ['another option', { url: TARGET.url, quality: 50, format: 'webp', full_page: true }],
    ['no url', { quality: 50, format: 'webp' }],
    ['an unset option', { url: TARGET.url, quality: null, format: 'webp' }],
    ['a fault', { url: TARGET.url, quality: 5_000, format: 'webp' }],
    ['a url with a fault', { url: 'ftp://x/', quality: 50, format: 'webp' }],
    ['a url that is no text', { url: ['x'], quality: 50, format: 'webp' }],
    ['a key that changes prototypes', JSON.parse('{"__proto__":{},"url":"https://a.test/"}')],
  ])('checks a row with %s', (_, raw) => {
    const rows = new RowOptions({});
    rows.check({ url: TARGET.url, quality: 50, format: 'webp' });
    expect(outcome(() => givenOptions(complete(rows.check(raw))))).toEqual(
      outcome(() => givenOptions(parseOptionsOver({}, raw))),
    );
    expect(rows.fullChecks).toBe(2);
  });

  it.each([
    ['cookies', { cookies: [{ name: 'a', value: 'b', domain: 'www.example.com' }] }],
    ['allowed hosts', { allowed_hosts: ['www.example.com'] }],
  ])('checks each row whose %s belong to its address', (_, options) => {
    const rows = new RowOptions({});
    rows.check({ ...TARGET, ...options });
    expect(() => rows.check({ url: OTHER_URL, ...options })).toThrow(AppError);
    expect(rows.fullChecks).toBe(2);
  });

  it('tells a number that JSON does not have from null', () => {
    const rows = new RowOptions({ timeout_ms: 5_000 });
    rows.check({ ...TARGET, timeout_ms: null });
    expect(() => rows.check({ ...TARGET, timeout_ms: Infinity })).toThrow(AppError);
  });

  it('applies the defaults of the operator as for a single row', () => {
    const operator = new DefaultOptions({ format: 'pdf', pdf_landscape: true, user_agent: 'Robot/1.0' });
    const rows = new RowOptions({}, operator);
    const raws = [
      { ...TARGET },
      { url: OTHER_URL },
      { ...TARGET, format: 'png' },
      { url: OTHER_URL, format: 'png' },
    ];
    for (const raw of raws) {
      const stored = storedOptions(complete(rows.check(raw)));
      expect(stored).toEqual(storedOptions(parseOptionsOver({}, raw, operator)));
    }
    expect(rows.fullChecks).toBe(2);
  });

  it.each(SAMPLES)('finds of %s what a check of the row alone finds, in the second row, too', (_, given) => {
    const rows = new RowOptions({});
    const others =
      'url' in given
        ? [
            { ...given, url: OTHER_URL },
            { ...given, reference: 'another' },
          ]
        : [];
    for (const raw of [given, given, ...others]) {
      expect(outcome(() => complete(rows.check(raw)))).toEqual(outcome(() => parseOptionsOver({}, raw)));
    }
  });
});
