import { describe, expect, it } from '@jest/globals';
import { InvalidEnvironmentError } from '@app/config';
import { fieldsOf } from '@app/kernel';
import { CaptureOptions } from './capture-options.js';
import { readDefaultOptions } from './read-default-options.js';

const read = (values: unknown): unknown => readDefaultOptions(JSON.stringify(values)).toJSON();

function refusalOf(text: string): string {
  try {
    readDefaultOptions(text);
    return '';
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidEnvironmentError);
    return (error as Error).message;
  }
}

const REFUSED = [
  ...['url', 'html', 'base_url', 'reference', 'filename', 'response', 'expires_in_s'],
  ...['headers', 'cookies', 'basic_auth_username', 'basic_auth_password'],
  ...['selector', 'clip_x', 'clip_y', 'clip_width', 'clip_height', 'scroll_to_selector', 'click_selector'],
  ...['actions', 'recording', 'secrets'],
  ...['wait_for_selector', 'wait_for_function', 'fail_if_text_missing'],
];

describe(readDefaultOptions.name, () => {
  it.each(['', ' ', '{}', ' { } '])('reads %j as no defaults', (text) => {
    expect(readDefaultOptions(text).isEmpty).toBe(true);
  });

  it('reads options', () => {
    const values = { clean: true, wait_until: 'auto', hide_selectors: ['.ad'] };
    expect(read(values)).toEqual(values);
  });

  it.each(['{', 'clean', '{"clean": true,}', 'null', '[]', '"clean"', 'true'])('refuses %s', (text) => {
    expect(refusalOf(text)).toMatch(/^ {2}DEFAULT_OPTIONS must be a JSON object of options, such as/m);
  });

  it('names each option at fault, and what it must be', () => {
    const message = refusalOf(
      '{"clean": "yes", "viewport_width": 1, "block_add": true, "url": "https://a.test"}',
    );
    expect(message.split('\n')).toEqual([
      'The environment is not valid:',
      '  DEFAULT_OPTIONS url belongs to one capture and cannot be a default',
      '  DEFAULT_OPTIONS block_add is not a known field; did you mean block_ads?',
      '  DEFAULT_OPTIONS viewport_width must be a whole number between 16 and 7680',
      '  DEFAULT_OPTIONS clean must be true or false',
    ]);
  });

  it('does not repeat secrets', () => {
    expect(refusalOf('{"headers": {"Authorization": "hunter2"}}')).not.toContain('hunter2');
    expect(refusalOf('{"headers": {"Authorization": "hunter2"}')).not.toContain('hunter2');
  });

  it('refuses a webhook, unsafe keys and deep nesting', () => {
    expect(refusalOf('{"webhook_url": "https://a.test"}')).toContain('webhook_url belongs to one capture');
    expect(refusalOf('{"__proto__": {"clean": true}}')).toContain('__proto__ is not a known field');
    expect(refusalOf(`{"css": ${'['.repeat(5_000)}${']'.repeat(5_000)}}`)).toContain('is nested too deeply');
  });

  it.each(REFUSED)('refuses %s, with the reason', (name) => {
    expect(refusalOf(JSON.stringify({ [name]: 1 }))).toMatch(
      new RegExp(`^ {2}DEFAULT_OPTIONS ${name} .*cannot be a default(:|;|$)`, 'm'),
    );
  });

  const allowed = fieldsOf(CaptureOptions).filter(({ name }) => !REFUSED.includes(name));
  // Each is useful only with another one: half a position or a size of paper is none.
  const inPairs: Readonly<Record<string, object>> = {
    latitude: { longitude: 1 },
    longitude: { latitude: 1 },
    accuracy: { latitude: 1, longitude: 1 },
    image_fit: { image_width: 640 },
    pdf_width: { pdf_height: '20cm' },
    pdf_height: { pdf_width: '20cm' },
  };

  it.each(allowed)('takes $name', ({ name, kind, schema, example, fallback }) => {
    const byDefault = (new CaptureOptions() as unknown as Record<string, unknown>)[name] ?? fallback;
    const choice = kind === 'choice' ? (schema.enum as unknown[])[0] : undefined;
    const value = kind === 'flag' ? true : (choice ?? example ?? byDefault ?? schema.minimum ?? 'text');
    const values = { [name]: value, ...inPairs[name] };
    expect(read(values)).toEqual(values);
    if (name in inPairs) expect(refusalOf(JSON.stringify({ [name]: value }))).toContain(`${name} needs`);
  });

  it.each([
    [{ delay_ms: 9_000, timeout_ms: 5_000 }, 'delay_ms must be less than timeout_ms'],
    [
      { viewport_width: 7_680, viewport_height: 7_680, device_scale_factor: 4 },
      'viewport_height makes the window',
    ],
    [{ pdf_paper: 'a5', pdf_width: '5cm', pdf_height: '5cm' }, 'pdf_paper must not be combined'],
    [{ pdf_margin_left: '15cm', pdf_margin_right: '15cm' }, 'pdf_margin_left leaves no room'],
  ])('refuses %j, which contradict each other', (values, reason) => {
    const message = refusalOf(JSON.stringify({ clean: true, max_height: 500, ...values }));
    expect(message.split('\n')).toHaveLength(2);
    expect(message).toContain(`DEFAULT_OPTIONS ${reason}`);
  });

  it('takes defaults for several formats', () => {
    const values = { format: 'pdf', quality: 70, omit_background: true, full_page: true, pdf_scale: 0.5 };
    expect(read(values)).toEqual(values);
  });
});
