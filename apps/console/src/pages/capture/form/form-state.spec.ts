import { describe, expect, it } from '@jest/globals';
import type { Device } from '@capture-service/client';
import {
  completeRequest,
  EMPTY_FORM,
  formOf,
  requestOf,
  setOption,
  setTarget,
  setText,
  type FormState,
} from './form-state.js';

const URL = 'https://example.com/';
const PHONE = { id: 'phone', viewport_width: 390, mobile: true } as Device;

function stated(form: FormState, values: Record<string, unknown>, devices?: Device[]): FormState {
  return Object.entries(values).reduce(
    (each, [name, value]) => setOption(each, { name, value, devices }),
    form,
  );
}

const json = ({ text }: FormState): unknown => JSON.parse(text);

describe('the form of a capture', () => {
  it('writes only what differs from the defaults, in the order of the documentation', () => {
    const form = stated(EMPTY_FORM, { full_page: true, viewport_width: 1_280, url: URL, block_urls: [] });
    expect(form.text).toBe(`{\n  "url": "${URL}",\n  "full_page": true\n}`);
    expect(json(setOption(form, { name: 'full_page', value: false }))).toEqual({ url: URL });
    expect(json(setOption(form, { name: 'url', value: undefined }))).toEqual({ full_page: true });
  });

  it('completes a URL without a scheme', () => {
    expect(completeRequest({ url: 'example.com', full_page: true })).toEqual({
      url: 'https://example.com',
      full_page: true,
    });
    expect(completeRequest({ html: 'example.com' })).toEqual({ html: 'example.com' });
    expect(completeRequest({ url: 5 })).toEqual({ url: 5 });
  });

  it('knows options that default to another one', () => {
    const clean = stated(EMPTY_FORM, { clean: true });
    expect(json(stated(clean, { block_ads: true }))).toEqual({ clean: true });
    expect(json(stated(clean, { block_ads: false }))).toEqual({ clean: true, block_ads: false });
    expect(json(stated(EMPTY_FORM, { full_page: true, scroll: false }))).toEqual({
      full_page: true,
      scroll: false,
    });
  });

  it('compares with the device as soon as it is known', () => {
    const values = { device: 'phone', viewport_width: 1_280 };
    expect(json(stated(EMPTY_FORM, values))).toEqual(values);
    expect(json(stated(EMPTY_FORM, values, [PHONE]))).toEqual(values);
    expect(json(stated(EMPTY_FORM, { ...values, viewport_width: 390, mobile: true }, [PHONE]))).toEqual({
      device: 'phone',
    });
  });

  it('leaves out what does not apply to the format, and keeps it for its own', () => {
    const pdf = stated(EMPTY_FORM, { url: URL, format: 'pdf', pdf_paper: 'a3' });
    const png = setOption(pdf, { name: 'format', value: 'png' });
    expect(requestOf(png)).toEqual({ url: URL });
    expect(json(setOption(png, { name: 'format', value: 'pdf' }))).toEqual({
      url: URL,
      format: 'pdf',
      pdf_paper: 'a3',
    });
  });

  it('has the options of all formats of several outputs', () => {
    const outputs = [{ name: 'a' }, { name: 'b', format: 'pdf' }];
    const form = stated(EMPTY_FORM, { pdf_paper: 'a3', quality: 3, full_page: true, outputs });
    expect(Object.keys(requestOf(form)).sort()).toEqual(['full_page', 'outputs', 'pdf_paper']);
  });

  it('sends either the URL or the HTML', () => {
    const both = stated(EMPTY_FORM, { url: URL, html: '<p>', base_url: URL });
    expect(requestOf(both)).toEqual({ url: URL });
    expect(requestOf(setTarget(both, 'html'))).toEqual({ html: '<p>', base_url: URL });
    expect(formOf({ html: '<p>' }).target).toBe('html');
  });

  it('takes over a valid JSON, as it was typed', () => {
    const text = `{"html": "<p>", "full_page": false}`;
    const form = setText(EMPTY_FORM, text);
    expect(form).toEqual({ target: 'html', values: { html: '<p>', full_page: false }, text });
    expect(requestOf(form)).toEqual({ html: '<p>', full_page: false });
    expect(requestOf(setText(form, ' '))).toEqual({});
  });

  it.each([
    ['{"full_page": tru', /^This is not valid JSON/],
    ['[]', /^The options are a JSON object/],
    ['{"fullPage": true}', /^fullPage is not an option\. Did you mean full_page\?$/],
    ['{"full-pgae": true}', /^full-pgae is not an option\. Did you mean full_page\?$/],
    ['{"zzzzz": true}', /^zzzzz is not an option\.$/],
    ['{"__proto__": {"url": "x"}}', /^__proto__ is not an option\.$/],
  ])('keeps the form while the JSON is %s', (text, fault) => {
    const form = stated(EMPTY_FORM, { url: URL });
    const edited = setText(form, text);
    expect(edited).toMatchObject({ text, values: { url: URL }, textFault: expect.stringMatching(fault) });
    expect(setOption(edited, { name: 'full_page', value: true }).textFault).toBeUndefined();
  });
});
