import { describe, expect, it } from '@jest/globals';
import { fieldsOf, schemaOf } from '@app/kernel';
import { FORMATS, formatsOf } from '../formats/index.js';
import { CaptureOptions, FAMILIES } from './capture-options.js';
import { optionExtensions, optionFamilies, renderOptionsDoc } from './options-doc.js';
import { parseOptions } from './parse-options.js';

describe(renderOptionsDoc.name, () => {
  const doc = renderOptionsDoc();

  it('has a row for every option of every family', () => {
    // A format may have the name of an option; its row is shorter.
    const rows = doc.split('\n').filter((line) => line.split(' | ').length > 5);
    for (const { name } of fieldsOf(CaptureOptions)) {
      expect(rows.filter((line) => line.startsWith(`| \`${name}\` |`))).toHaveLength(1);
    }
    expect(doc.match(/^## /gm)).toHaveLength(FAMILIES.length + 3);
  });

  it('says the order of work, with a step for each option that waits for the page or changes it', () => {
    const steps = doc.split('## Order of work')[1]?.split('\n## ')[0] ?? '';
    const places = [
      ...['fail_on_status', 'css', 'hide_selectors', 'mask_selectors', 'js', 'click_selector'],
      ...['wait_for_selector', 'wait_for_function', 'delay_ms', 'scroll_to_selector', 'scroll', 'sticky'],
      ...['fail_if_text', 'fail_if_text_missing', 'metadata', 'outputs', 'compare_with'],
    ].map((name) => steps.indexOf(`\`${name}\``));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  it('states type, default, formats and example', () => {
    expect(doc).toContain('| `viewport_width` | whole number 16 to 7,680 | `1280` | all |');
    expect(doc).toContain('| `quality` | whole number 1 to 100 | – | jpeg, webp, avif |');
    expect(doc).toContain('| `media_type` | `screen`, `print` | – | all |');
    expect(doc).toMatch(/\| `cookies` \|.*`same_site` \(`strict`, `lax`, `none`\)/);
  });

  it('has a row for every format', () => {
    for (const { name, contentType, extension } of Object.values(FORMATS)) {
      expect(doc).toContain(`| \`${name}\` | \`${contentType}\` | \`.${extension}\` |`);
    }
  });

  it('says who may set options of each exposure, and the exposure of each option', () => {
    expect(doc).toContain('| no | if permitted |\n| `secret` |');
    expect(doc).toMatch(/^\| `css` \|.*\| style \|$/m);
    expect(doc).toMatch(/^\| `headers` \|.*\| secret \|$/m);
  });

  it('keeps every row in one line of seven cells', () => {
    const [, options = ''] = doc.split('## Target');
    const rows = options.split('\n').filter((line) => line.startsWith('| `'));
    expect(rows.filter((row) => row.split(/(?<!\\)\|/).length !== 9)).toEqual([]);
  });
});

describe(optionExtensions.name, () => {
  it('names a documented family for every option', () => {
    const extensions = optionExtensions();
    const families = optionFamilies().map(({ name }) => name);
    expect(Object.keys(extensions)).toEqual(fieldsOf(CaptureOptions).map(({ name }) => name));
    for (const extension of Object.values(extensions)) expect(families).toContain(extension['x-family']);
  });

  it('states exposures, and defaults and formats where there are any', () => {
    const { viewport_width, pdf_scale, cookies, url } = optionExtensions();
    expect(viewport_width).toEqual({ 'x-family': 'viewport', 'x-exposure': 'public', 'x-default': 1280 });
    expect(pdf_scale).toMatchObject({ 'x-default': 1, 'x-formats': ['pdf'] });
    expect(cookies).toMatchObject({ 'x-exposure': 'secret' });
    expect(url).toEqual({ 'x-family': 'target', 'x-exposure': 'public' });
  });
});

/** Options that need another one, whose example is used. */
const NEEDED: Readonly<Record<string, string>> = {
  base_url: 'html',
  latitude: 'longitude',
  longitude: 'latitude',
  pdf_width: 'pdf_height',
  pdf_height: 'pdf_width',
  compare_ignore_selectors: 'compare_with',
  compare_confirms: 'compare_with',
  stale_ttl_s: 'cache_ttl_s',
  cache_key: 'cache_ttl_s',
};

describe('the example of an option', () => {
  const examples = fieldsOf(CaptureOptions).filter(({ example }) => example !== undefined);
  const exampleOf = new Map(examples.map(({ name, example }) => [name, example]));

  it.each(examples.map(({ name }) => [name, formatsOf(name)?.[0] ?? 'png'] as const))(
    'is accepted: %s as %s',
    (name, format) => {
      const needed = NEEDED[name];
      const stated = [name, ...(needed === undefined ? [] : [needed])];
      const target = stated.includes('html') ? {} : { url: 'https://example.com/' };
      const options = Object.fromEntries(stated.map((each) => [each, exampleOf.get(each)]));
      expect(() => parseOptions({ ...target, format, ...options })).not.toThrow();
    },
  );
});

describe('the schema of the options', () => {
  it('states the default of a field that depends on the device', () => {
    const { properties } = schemaOf(CaptureOptions) as { properties: Record<string, { default?: unknown }> };
    expect(properties.viewport_width?.default).toBe(1280);
    expect(properties.landscape?.default).toBe(false);
  });
});
