import { domainToUnicode } from 'node:url';
import { Text, type Fault } from '@app/kernel';
import { defineFamily } from '../pipeline/family.js';

const MAX_URL_LENGTH = 2_048;
const MAX_HTML_BYTES = 1_048_576;
/** RFC 1035; the WHATWG parser takes longer ones, no resolver does. */
const MAX_HOST_LENGTH = 253;
const MAX_LABEL_LENGTH = 63;

export class TargetOptions {
  @Text('Address of the page, `http` or `https`, without a user name or password.', {
    max: MAX_URL_LENGTH,
    check: urlFault,
    example: 'https://example.com/',
  })
  url?: string;

  @Text('HTML to capture instead of a `url`, at most 1 MB.', {
    max: MAX_HTML_BYTES,
    check: htmlFault,
    example: '<h1>Hello</h1>',
  })
  html?: string;

  @Text('Address that relative links of `html` start from.', {
    max: MAX_URL_LENGTH,
    check: urlFault,
    example: 'https://example.com/',
  })
  base_url?: string;
}

function urlFault(text: string): string | undefined {
  return addressFault(text, '; use basic_auth_username and basic_auth_password');
}

/**
 * What is wrong with an address that a caller gives, or undefined. The fault never repeats it: it may hold a password.
 *
 * @param mend what to do with the password instead
 */
export function addressFault(text: string, mend = ''): string | undefined {
  // URL drops tabs and line breaks silently, so what was checked would not be what was written.
  if (hasControls(text)) return 'must not contain control characters';
  const url = URL.parse(text);
  if (!url) return 'must be an absolute http or https URL, such as https://example.com/';
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must be an http or https URL';
  if (url.username !== '' || url.password !== '') return `must not hold a user name or password${mend}`;
  return isResolvable(url.hostname) ? undefined : 'must have a host name that can be resolved';
}

function hasControls(text: string): boolean {
  // eslint-disable-next-line no-control-regex -- control characters are what it looks for
  return /[\0-\x1f\x7f]/.test(text);
}

function isResolvable(host: string): boolean {
  if (host.startsWith('[')) return true;
  const name = host.replace(/\.$/, '');
  return name.length <= MAX_HOST_LENGTH && name.split('.').every(isLabel);
}

function isLabel(label: string): boolean {
  // Node takes Punycode that stands for nothing; browsers do not.
  const isDecodable = !label.startsWith('xn--') || domainToUnicode(label) !== label;
  return label !== '' && label.length <= MAX_LABEL_LENGTH && isDecodable;
}

function htmlFault(html: string): string | undefined {
  return Buffer.byteLength(html) > MAX_HTML_BYTES ? 'must be at most 1 MB of UTF-8' : undefined;
}

function check(options: TargetOptions): Fault[] {
  if (options.url !== undefined && options.html !== undefined) {
    return [{ pointer: '/html', code: 'conflict', detail: 'must not be combined with url' }];
  }
  if (options.html !== undefined) return [];
  return [
    ...(options.url === undefined
      ? [{ pointer: '/url', code: 'required', detail: 'is missing: give a url, or html' }]
      : []),
    ...(options.base_url === undefined
      ? []
      : [{ pointer: '/base_url', code: 'conflict', detail: 'needs html' }]),
  ];
}

/** The address as every later part uses it: as the browser itself would write it. */
export function canonicalUrl(text: string): string {
  return new URL(text).href;
}

export const target = defineFamily({ name: 'target', doc: 'What is captured.' }, TargetOptions, { check });
