import { describe, expect, it } from '@jest/globals';
import { AppError, fieldsOf } from '@app/kernel';
import { parseOptions } from '../parse-options.js';
import { CaptureOptions } from './index.js';

const url = 'https://www.example.com/';
const pdf = { format: 'pdf' };
const place = { latitude: 52.52, longitude: 13.4 };
const clip = { clip_x: 1, clip_y: 1, clip_width: 10, clip_height: 10 };
const none = undefined;

/** The default of an option, another value, and the options that this value needs. */
type Row = readonly [byDefault: unknown, value: unknown, company?: Readonly<Record<string, unknown>>];

const ROWS: Readonly<Record<string, Row>> = {
  url: [none, 'https://www.example.com/a'],
  html: [none, '<h1>Hello</h1>', { url: none }],
  base_url: [none, url, { html: 'x', url: none }],
  format: ['png', 'webp'],
  content: ['main', 'full', { format: 'text' }],
  quality: [none, 50, { format: 'jpeg' }],
  omit_background: [false, true],
  optimize_for_speed: [false, true],
  image_width: [none, 640],
  image_height: [none, 400],
  image_fit: ['inside', 'cover', { image_width: 640, image_height: 400 }],
  device: [none, 'iphone-15-pro'],
  viewport_width: [1_280, 800],
  viewport_height: [800, 600],
  device_scale_factor: [1, 2],
  mobile: [false, true],
  touch: [false, true],
  landscape: [false, true],
  dark_mode: [false, true],
  reduced_motion: [false, true],
  media_type: [none, 'print'],
  timezone: [none, 'Europe/Berlin'],
  locale: [none, 'de-DE'],
  latitude: [none, 52.52, place],
  longitude: [none, 13.4, place],
  accuracy: [1, 10, place],
  user_agent: [none, 'Robot/1.0'],
  javascript: [true, false],
  headers: [{}, { 'X-Preview': 'true' }],
  cookies: [[], [{ name: 'session', value: 'a1b2' }]],
  basic_auth_username: [none, 'user', { basic_auth_password: 'x' }],
  basic_auth_password: [none, 'password', { basic_auth_username: 'x' }],
  bypass_csp: [false, true],
  clean: [false, true],
  block_ads: [false, true],
  block_trackers: [false, true],
  block_chats: [false, true],
  block_annoyances: [false, true],
  block_resource_types: [[], ['image', 'font']],
  block_urls: [[], ['*://*.doubleclick.net/*']],
  block_cookie_banners: [false, true],
  cookie_consent: ['reject', 'hide', { clean: true }],
  stable: [false, true],
  wait_until: ['auto', 'load'],
  ready_timeout_ms: [5_000, 1_000],
  wait_for_selector: [none, '#chart'],
  wait_for_selector_state: ['visible', 'hidden', { wait_for_selector: 'p' }],
  wait_for_function: [none, 'window.ready'],
  delay_ms: [0, 500],
  navigation_timeout_ms: [30_000, 5_000],
  timeout_ms: [60_000, 5_000],
  on_timeout: ['fail', 'capture'],
  fail_on_status: [[], ['404', '5xx']],
  fail_if_text: [none, 'Access denied'],
  fail_if_text_missing: [none, 'Welcome'],
  fail_on_verdict: [[], ['blank', 'bot_wall']],
  css: [none, 'body { color: red }'],
  hide_selectors: [[], ['.ad']],
  mask_selectors: [[], ['.account']],
  js: [none, 'document.title = 1'],
  click_selector: [none, 'button'],
  scroll_to_selector: [none, '#pricing'],
  full_page: [false, true],
  full_width: [false, true, { full_page: true }],
  max_height: [20_000, 5_000, { full_page: true }],
  selector: [none, 'article'],
  selector_padding: [0, 10, { selector: 'p' }],
  clip_x: [none, 1, clip],
  clip_y: [none, 1, clip],
  clip_width: [none, 10, clip],
  clip_height: [none, 10, clip],
  scroll: [none, true],
  sticky: ['keep', 'top'],
  pdf_paper: ['a4', 'letter', pdf],
  pdf_width: [none, '20cm', { ...pdf, pdf_height: '20cm' }],
  pdf_height: [none, '20cm', { ...pdf, pdf_width: '20cm' }],
  pdf_landscape: [false, true, pdf],
  pdf_margin_top: ['1cm', '2cm', pdf],
  pdf_margin_right: ['1cm', '2cm', pdf],
  pdf_margin_bottom: ['1cm', '2cm', pdf],
  pdf_margin_left: ['1cm', '2cm', pdf],
  pdf_scale: [1, 0.5, pdf],
  pdf_background: [true, false, pdf],
  pdf_page_ranges: [none, '1-3', pdf],
  pdf_header_html: [none, '<p>head</p>', pdf],
  pdf_footer_html: [none, '<p>foot</p>', pdf],
  pdf_prefer_css_page_size: [false, true, pdf],
  pdf_outline: [false, true, pdf],
  pdf_tagged: [true, false, pdf],
  outputs: [[], [{ name: 'phone', device: 'iphone-15-pro' }]],
  metadata: [false, true],
  compare_with: [none, 'previous'],
  compare_threshold: [0.1, 0.2, { compare_with: 'previous' }],
  compare_ignore_selectors: [[], ['.clock'], { compare_with: 'previous' }],
  cache_ttl_s: [0, 3_600],
  stale_ttl_s: [0, 600, { cache_ttl_s: 60 }],
  cache_key: [none, 'release-42', { cache_ttl_s: 60 }],
  force: [false, true, { cache_ttl_s: 60 }],
  reference: [none, 'order-1234'],
  response: ['file', 'json'],
  filename: [none, 'front-page'],
  expires_in_s: [none, 3_600],
};

const FIELDS = fieldsOf(CaptureOptions);

/** The parsed value of the field, or `pointer code` of the faults. */
function valueOf(name: string, given: Readonly<Record<string, unknown>>): unknown {
  const [, , company] = ROWS[name] ?? [];
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
    expect(Object.keys(ROWS).sort()).toEqual(FIELDS.map(({ name }) => name).sort());
  });

  it.each(FIELDS)('$name has its default when it is absent', ({ name, fallback }) => {
    const defaults = parseOptions({ url }) as unknown as Record<string, unknown>;
    // Every other option needs a `url`.
    const byDefault = name === 'url' ? undefined : (defaults[name] ?? fallback);
    expect(byDefault).toEqual(ROWS[name]?.[0]);
  });

  it.each(FIELDS)('$name has the value that was sent', ({ name }) => {
    const value = ROWS[name]?.[1];
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
