import { domainToUnicode } from 'node:url';
import { hostPatternFault, matchesHost, type Fault } from '@app/kernel';
import { defineFamily, type Judge, type Visit } from '../pipeline/family.js';
import { isDocument } from '../pipeline/interceptor.js';
import { Text, TextList } from '../pipeline/option-fields.js';

/** URL of `html` without a base_url: a name that never resolves, so that relative URLs lead nowhere. */
export const NOWHERE = 'http://html.invalid/';

const MAX_URL_LENGTH = 2_048;
const MAX_HTML_BYTES = 1_048_576;
/** RFC 1035. The WHATWG parser accepts longer host names; no resolver does. */
const MAX_HOST_LENGTH = 253;
const MAX_LABEL_LENGTH = 63;
const MAX_HOST_PATTERNS = 100;

export class TargetOptions {
  @Text('URL of the page, `http` or `https`, without a user name or password.', {
    exposure: 'public',
    max: MAX_URL_LENGTH,
    check: urlFault,
    example: 'https://example.com/',
    alsoCalled: ['link', 'uri', 'address', 'page', 'website', 'target'],
  })
  url?: string;

  @Text('HTML to capture instead of a `url`, at most 1 MB.', {
    exposure: 'script',
    max: MAX_HTML_BYTES,
    check: htmlFault,
    example: '<h1>Hello</h1>',
  })
  html?: string;

  @Text('Base URL of relative URLs in `html`.', {
    exposure: 'script',
    max: MAX_URL_LENGTH,
    check: urlFault,
    example: 'https://example.com/',
  })
  base_url?: string;

  @TextList(
    'Hosts of which the page may be, such as `example.com` or `*.example.com`; all without it. The capture fails with `target_forbidden` when a redirect, a script or a step leads the page to another host. What the page loads, and its frames, may be of any host.',
    {
      exposure: 'public',
      maxItems: MAX_HOST_PATTERNS,
      maxLength: 255,
      check: patternsFault,
      example: ['example.com', '*.example.com'],
    },
  )
  allowed_hosts: string[] = [];
}

function patternsFault(patterns: readonly string[]): string | undefined {
  return patterns.map(hostPatternFault).find((fault) => fault !== undefined);
}

function urlFault(text: string): string | undefined {
  return addressFault(text, '; use basic_auth_username and basic_auth_password');
}

/**
 * The fault of a URL that a caller sent, or undefined. It never repeats the URL, which may hold a password.
 *
 * @param remedy what to do with the password instead
 */
export function addressFault(text: string, remedy = ''): string | undefined {
  // URL silently drops tabs and line breaks, so that the checked URL would differ from the one that was sent.
  if (hasControls(text)) return 'must not contain control characters';
  const url = URL.parse(text);
  if (!url) return 'must be an absolute http or https URL, such as https://example.com/';
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must be an http or https URL';
  if (url.username !== '' || url.password !== '') return `must not hold a user name or password${remedy}`;
  return isResolvable(url.hostname) ? undefined : 'must have a host name that can be resolved';
}

function hasControls(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- it looks for control characters
  return /[\0-\x1f\x7f]/.test(text);
}

function isResolvable(host: string): boolean {
  if (host.startsWith('[')) return true;
  const name = host.replace(/\.$/, '');
  return name.length <= MAX_HOST_LENGTH && name.split('.').every(isLabel);
}

function isLabel(label: string): boolean {
  // Node accepts Punycode that cannot be decoded; browsers do not.
  const isDecodable = !label.startsWith('xn--') || domainToUnicode(label) !== label;
  return label !== '' && label.length <= MAX_LABEL_LENGTH && isDecodable;
}

function htmlFault(html: string): string | undefined {
  return Buffer.byteLength(html) > MAX_HTML_BYTES ? 'must be at most 1 MB of UTF-8' : undefined;
}

function check(options: TargetOptions, given: ReadonlySet<string>): Fault[] {
  const hasUrl = given.has('url');
  if (hasUrl && options.html !== undefined) {
    return [{ pointer: '/html', code: 'conflict', detail: 'must not be combined with url' }];
  }
  const isLimited = options.allowed_hosts.length > 0;
  if (options.html !== undefined) {
    return isLimited ? [{ pointer: '/allowed_hosts', code: 'conflict', detail: 'needs url, not html' }] : [];
  }
  const url = isLimited ? URL.parse(options.url ?? '') : null;
  if (url && !matchesHost(options.allowed_hosts, url.hostname)) {
    const detail = `must be of a host that allowed_hosts names: ${options.allowed_hosts.join(', ')}`;
    return [{ pointer: '/url', code: 'host_not_allowed', detail }];
  }
  return [
    ...(hasUrl ? [] : [{ pointer: '/url', code: 'required', detail: 'is missing: give a url, or html' }]),
    ...(options.base_url === undefined
      ? []
      : [{ pointer: '/base_url', code: 'conflict', detail: 'needs html' }]),
  ];
}

/** The URL as a browser writes it. All later steps use this form. */
export function canonicalUrl(text: string): string {
  return new URL(text).href;
}

/**
 * Refuses documents of other hosts, each hop of a redirect by itself. A document that Chromium had loaded ahead is no request
 * that could be refused; its arrival is noticed instead.
 */
function judge(visit: Visit, { allowed_hosts: patterns }: TargetOptions): Judge | undefined {
  if (patterns.length === 0) return undefined;
  const isRefused = (address: string): boolean => {
    const url = URL.parse(address);
    const isPage = url?.protocol === 'http:' || url?.protocol === 'https:';
    if (!isPage || matchesHost(patterns, url.hostname)) return false;
    visit.refusedHost ??= url.host;
    return true;
  };
  visit.page.on('framenavigated', (frame) => {
    if (frame === visit.mainFrame) isRefused(frame.url());
  });
  return (request) => (isDocument(visit, request) && isRefused(request.url()) ? 'refuse' : 'pass');
}

export const target = defineFamily({ name: 'target', doc: 'The page to capture.' }, TargetOptions, {
  check,
  judge,
});
