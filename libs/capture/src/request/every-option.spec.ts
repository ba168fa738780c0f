import { describe, expect, it } from '@jest/globals';
import { AppError, fieldsOf } from '@app/kernel';
import { parseOptions } from './parse-options.js';
import { CaptureOptions } from './capture-options.js';
import { OPTION_SAMPLES, TARGET } from '../../../../test/support/option-samples.js';

const { url } = TARGET;
const FIELDS = fieldsOf(CaptureOptions);

/** The parsed value of the field, or `pointer code` of the faults. */
function valueOf(name: string, given: Readonly<Record<string, unknown>>): unknown {
  const [, , company] = OPTION_SAMPLES[name] ?? [];
  try {
    const raw = Object.entries({ url, ...company, ...given }).filter(([, value]) => value !== undefined);
    return (parseOptions(Object.fromEntries(raw)) as unknown as Record<string, unknown>)[name];
  } catch (thrown) {
    const { errors = [] } = AppError.from(thrown).facts;
    return errors.map(({ pointer, code }) => `${pointer} ${code}`);
  }
}

describe('each option', () => {
  it('has a row here, and each row an option', () => {
    expect(Object.keys(OPTION_SAMPLES).sort()).toEqual(FIELDS.map(({ name }) => name).sort());
  });

  it.each(FIELDS)('$name has its default when it is absent', ({ name, fallback }) => {
    const defaults = parseOptions({ url }) as unknown as Record<string, unknown>;
    // Every other option needs a `url`.
    const byDefault = name === 'url' ? undefined : (defaults[name] ?? fallback);
    expect(byDefault).toEqual(OPTION_SAMPLES[name]?.[0]);
  });

  it.each(FIELDS)('$name has the value that was sent', ({ name }) => {
    const value = OPTION_SAMPLES[name]?.[1];
    const isPlain = typeof value !== 'object';
    const read = valueOf(name, { [name]: value });
    if (isPlain) expect(read).toBe(value);
    else expect(read).toMatchObject(value as object);
  });

  it.each(FIELDS)('$name is off with false if it is a flag, and else refuses it', ({ name, kind }) => {
    const value = valueOf(name, { [name]: false });
    if (kind === 'flag') expect(value).toBe(false);
    else expect(value).toEqual([expect.stringMatching(new RegExp(`^/${name} (wrong_type|not_allowed)$`))]);
  });
});
