import { Choice, Flag, Text, Whole, type Fault } from '@app/kernel';

const SAME_SITES = ['strict', 'lax', 'none'] as const;
/** 9999-12-31, the maximum of browsers. */
const MAX_EXPIRES = 253_402_300_799;
/** Name and value together; browsers silently drop a larger cookie. */
const MAX_PAIR_LENGTH = 4_096;

/** One cookie of the option `cookies`. */
export class CookieOption {
  @Text('Name.', {
    max: 256,
    pattern: /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/,
    message: "must be letters, digits and !#$%&'*+-.^_`|~",
    example: 'session',
  })
  name?: string;

  @Text('Value.', {
    min: 0,
    max: MAX_PAIR_LENGTH,
    pattern: /^[\x20-\x3a\x3c-\x7e]*$/,
    message: 'must be printable ASCII without a semicolon',
    example: 'a1b2',
  })
  value?: string;

  @Text(
    'Domain: the host of the target or a parent domain. Without it, the cookie is sent to the host only.',
    {
      max: 253,
      pattern: /^\.?[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i,
      message: 'must be a domain such as example.com',
      example: 'example.com',
    },
  )
  domain?: string;

  @Text('Path.', { max: 1_024, pattern: /^\/[\x20-\x3a\x3c-\x7e]*$/, message: 'must start with /' })
  path = '/';

  @Whole('Expiry in seconds since 1970. Without it, the cookie lasts for the capture.', {
    min: 1,
    max: MAX_EXPIRES,
  })
  expires?: number;

  @Flag('Hidden from scripts.')
  http_only = false;

  @Flag('Sent over HTTPS only.')
  secure = false;

  @Choice(
    SAME_SITES,
    'Which requests from other sites carry the cookie: `strict` none, `lax` links that open the target, `none` (needs `secure`) all.',
  )
  same_site: (typeof SAME_SITES)[number] = 'lax';
}

/** The faults of one cookie for a target on this host, if there is a target. Pointers are relative to the cookie. */
export function cookieFaults(cookie: CookieOption, host: string | undefined): Fault[] {
  const { name, value, domain, secure, same_site } = cookie;
  const missing = Object.entries({ name, value }).filter(([, given]) => given === undefined);
  const faults: Fault[] = missing.map(([field]) => ({
    pointer: `/${field}`,
    code: 'required',
    detail: 'is missing',
  }));
  if ((name ?? '').length + (value ?? '').length > MAX_PAIR_LENGTH) {
    const detail = `must be at most ${MAX_PAIR_LENGTH} characters long with its name`;
    faults.push({ pointer: '/value', code: 'wrong_length', detail });
  }
  if (same_site === 'none' && !secure) {
    faults.push({ pointer: '/same_site', code: 'conflict', detail: 'none needs secure' });
  }
  if (domain !== undefined && host !== undefined && !isDomainOf(host, domain)) {
    const detail = 'must be the host of url or a domain it belongs to';
    faults.push({ pointer: '/domain', code: 'invalid_value', detail });
  }
  return faults;
}

/** A top-level domain is not allowed; the browser itself refuses other public suffixes (`co.uk`). */
function isDomainOf(host: string, domain: string): boolean {
  const wanted = domain.toLowerCase().replace(/^\./, '');
  const isAddress = host.startsWith('[') || /^[\d.]+$/.test(host);
  return wanted === host || (!isAddress && wanted.includes('.') && host.endsWith(`.${wanted}`));
}
