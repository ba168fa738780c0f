import { describe, expect, it } from '@jest/globals';
import { CaptureOptions, DefaultOptions, givenOptions, OPTIONS } from '@app/capture';
import { AppError, type Fault, type FieldSpec } from '@app/kernel';
import { linkQuery } from '@capture-service/client';
import { LINK_FIELDS, LINK_OPTIONS, parseLink, type LinkRules } from './link-options.js';
import { readQuery } from './link-query.js';

const NOW_S = 1_800_000_000;
const RULES: LinkRules = { operator: new DefaultOptions({}), mustExpire: true, nowS: NOW_S };
const DAY_S = 86_400;

const parse = (query: string, rules: Partial<LinkRules> = {}) =>
  parseLink(readQuery(query, LINK_FIELDS), { ...RULES, ...rules });
const faultsOf = (query: string, rules: Partial<LinkRules> = {}): readonly Fault[] => {
  try {
    parse(query, rules);
  } catch (error) {
    if (error instanceof AppError) return error.facts.errors ?? [];
    throw error;
  }
  return [];
};
const LINK = `url=https%3A%2F%2Fexample.com&expires=${NOW_S + 60}`;

describe('the options of a link', () => {
  it('are those of a capture, whose file is cached for a day', () => {
    const { options, fields } = parse(
      `${LINK}&key=Jc3n8mQ2xV7bTz5K&format=webp&hide_selectors=.a&hide_selectors=.b`,
    );
    expect(options).toBeInstanceOf(CaptureOptions);
    expect(givenOptions(options)).toEqual({
      url: 'https://example.com',
      format: 'webp',
      hide_selectors: ['.a', '.b'],
      cache_ttl_s: DAY_S,
    });
    expect(fields).toMatchObject({ expires: NOW_S + 60, on_error: 'problem' });
  });

  it('may set how long the file is cached, but at least a minute', () => {
    expect(parse(`${LINK}&cache_ttl_s=60&stale_ttl_s=600`).options).toMatchObject({
      cache_ttl_s: 60,
      stale_ttl_s: 600,
    });
    for (const ttl of [0, 1, 59]) {
      expect(faultsOf(`${LINK}&cache_ttl_s=${ttl}`)).toEqual([
        { pointer: '/cache_ttl_s', code: 'out_of_range', detail: 'must be at least 60 in a link' },
      ]);
    }
    expect(faultsOf(`${LINK}&cache_ttl_s=9999999`)).toMatchObject([{ code: 'out_of_range' }]);
    expect(faultsOf(`${LINK}&cache_ttl_s=1d`)).toMatchObject([{ code: 'wrong_type' }]);
  });

  it('take the defaults of the operator, except for the time in the cache', () => {
    const operator = new DefaultOptions({ clean: true, cache_ttl_s: 5, format: 'webp' });
    expect(parse(`${LINK}&format=jpeg`, { operator }).options).toMatchObject({
      clean: true,
      format: 'jpeg',
      cache_ttl_s: DAY_S,
    });
  });

  it.each([
    ['headers={}', /which everyone can read/],
    ['headers=%7B%22a%22%3A%22b%22%7D', /which everyone can read/],
    ['cookies=%5B%5D', /which everyone can read/],
    ['basic_auth_username=a', /which everyone can read/],
    ['basic_auth_password=a', /which everyone can read/],
    ['js=alert(1)', /scripts/],
    ['wait_for_function=true', /scripts/],
    ['click_selector=button', /scripts and clicks/],
    ['bypass_csp=true', /scripts/],
    ['compare_with=previous', /about your captures/],
    ['compare_threshold=1', /about your captures/],
    ['compare_ignore_selectors=.clock', /about your captures/],
    ['html=%3Cp%3E', /captures a url/],
    ['base_url=https://example.com', /captures a url/],
    ['outputs=%5B%5D', /shows one file/],
    ['response=json', /shows one file/],
    ['response=zip', /shows one file/],
    ['expires_in_s=3600', /cache_ttl_s/],
    ['force=true', /each visitor/],
    ['webhook_url=https://example.com', /no webhooks/],
  ])('refuse %s', (field, detail) => {
    const [name = ''] = field.split('=');
    expect(faultsOf(`${LINK}&${field}`)).toEqual([
      { pointer: `/${name}`, code: 'not_for_route', detail: expect.stringMatching(detail) },
    ]);
  });

  it('are those whose exposure allows it, and no secret', () => {
    expect(LINK_OPTIONS.filter(({ secret }) => secret)).toEqual([]);
    const taken = [...OPTIONS.values()].filter(
      ({ exposure }) => exposure === 'public' || exposure === 'style',
    );
    expect(LINK_OPTIONS).toEqual(taken);
  });

  const LOADING = [
    'body { background: url(https://a.example/x) }',
    'input[value^="a"] { background-image: u\\rl("//a.example/a") }',
    '@font-face { font-family: a; src: url(/a.woff2) }',
    '@import "a.css";',
    'p { background: image-set("a.png" 1x) }',
  ];

  it.each(LOADING)('include no style sheet that loads something: %s', (css) => {
    expect(faultsOf(`${LINK}&css=${encodeURIComponent(css)}`)).toEqual([
      { pointer: '/css', code: 'not_for_route', detail: expect.stringContaining('if it loads something') },
    ]);
  });

  it.each(['p { color: red }', 'p { background: url(data:image/png;base64,AA==) }', 'a { fill: url(#b) }'])(
    'include a style sheet that loads nothing: %s',
    (css) => {
      expect(parse(`${LINK}&css=${encodeURIComponent(css)}`).options.css).toBe(css);
    },
  );

  it('report a style sheet that is none once', () => {
    const rules = { operator: new DefaultOptions({}), mustExpire: false, nowS: NOW_S };
    const values = { url: 'https://example.com', css: 7 };
    expect(() => parseLink({ values, faults: [] }, rules)).toThrow('css must be a string');
  });

  it('may have what the operator has chosen for all captures', () => {
    const operator = new DefaultOptions({ css: 'p { background: url(https://a.example/x) }', js: '1' });
    expect(parse(LINK, { operator }).options).toMatchObject({ js: '1', css: expect.any(String) });
  });

  it('report every fault, and the nearest name of an unknown one', () => {
    expect(
      faultsOf(`formt=png&quality=200&full_page=yes&expires=${NOW_S + 60}&expire=1&filename=%zz`),
    ).toEqual([
      expect.objectContaining({ pointer: '/filename', code: 'invalid_characters' }),
      {
        pointer: '/formt',
        code: 'unknown_field',
        detail: 'is not a known field; did you mean format?',
      },
      {
        pointer: '/expire',
        code: 'unknown_field',
        detail: 'is not a known field; did you mean expires?',
      },
      expect.objectContaining({ pointer: '/quality', code: 'out_of_range' }),
      { pointer: '/full_page', code: 'wrong_type', detail: 'must be true or false' },
      expect.objectContaining({ pointer: '/url', code: 'required' }),
    ]);
  });

  it('report a value that cannot be read once', () => {
    expect(faultsOf(`url=%&expires=${NOW_S + 60}`)).toMatchObject([
      { pointer: '/url', code: 'invalid_characters' },
    ]);
    expect(faultsOf(`${LINK}&url=https%3A%2F%2Fexample.com`)).toMatchObject([
      { pointer: '/url', code: 'repeated' },
    ]);
  });

  it.each(['problem', 'image'])('answer errors as on_error says: %s', (how) => {
    expect(parse(`${LINK}&on_error=${how}`).fields.on_error).toBe(how);
    expect(faultsOf(`${LINK}&on_error=${how}s`)).toMatchObject([
      { pointer: '/on_error', code: 'not_allowed' },
    ]);
  });

  describe('expire', () => {
    const url = 'url=https%3A%2F%2Fexample.com';

    it('at most ten years ahead', () => {
      expect(parse(`${url}&expires=${NOW_S + 3_653 * DAY_S}`).fields.expires).toBeGreaterThan(NOW_S);
      expect(faultsOf(`${url}&expires=${NOW_S + 3_654 * DAY_S}`)).toEqual([
        { pointer: '/expires', code: 'out_of_range', detail: 'must be at most ten years ahead' },
      ]);
    });

    it.each(['1e9', '1900000000.5', '-1', '0', '', 'never', '9'.repeat(30)])(
      'in whole seconds since 1970, not at %j',
      (text) => {
        expect(faultsOf(`${url}&expires=${text}`)).toMatchObject([{ pointer: '/expires' }]);
      },
    );

    it('unless the key allows links that do not', () => {
      expect(faultsOf(url)).toEqual([
        {
          pointer: '/expires',
          code: 'required',
          detail: 'is required: the links of this key must expire',
        },
      ]);
      expect(parse(url, { mustExpire: false }).fields.expires).toBeUndefined();
    });
  });

  const sample = ({ kind, schema, example }: FieldSpec): unknown => {
    if (example !== undefined) return example;
    const {
      enum: choices = [],
      minimum,
      items,
    } = schema as {
      enum?: string[];
      minimum?: number;
      items?: { enum?: string[] };
    };
    const samples = {
      flag: true,
      whole: minimum,
      decimal: (minimum ?? 0) + 0.125,
      choice: choices.at(-1),
      text: `"ä" + %41 & = '#?`,
      list: items?.enum ?? ['a, b', '%2C+'],
      map: {},
    };
    return samples[kind];
  };

  it.each(LINK_OPTIONS.map((spec) => [spec.name, sample(spec)]))(
    'are written and read again: %s=%j',
    (name, value) => {
      const values = { [String(name)]: value };
      expect(readQuery(linkQuery(values), LINK_FIELDS)).toEqual({ values, faults: [] });
    },
  );
});
