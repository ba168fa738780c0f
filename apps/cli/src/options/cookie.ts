import { InvalidArgumentError } from 'commander';

/** Attributes of `Set-Cookie` (RFC 6265) by the names that the service gives them. */
const ATTRIBUTES: Readonly<Record<string, { name: string; read: (value: string) => unknown }>> = {
  domain: { name: 'domain', read: (value) => value.toLowerCase() },
  path: { name: 'path', read: (value) => value },
  expires: { name: 'expires', read: (value) => secondsOf(value) },
  secure: { name: 'secure', read: () => true },
  httponly: { name: 'http_only', read: () => true },
  samesite: { name: 'same_site', read: (value) => value.toLowerCase() },
};

/** Reads a cookie as a server sets it: `name=value; Path=/; Secure`. */
export function readCookie(text: string): Record<string, unknown> {
  const [pair = '', ...attributes] = text.split(';').map((part) => part.trim());
  const { name, value } = halves(pair);
  if (!name || value === undefined) throw new InvalidArgumentError("It takes 'name=value' or JSON.");
  const cookie: Record<string, unknown> = { name, value };
  for (const part of attributes.filter((attribute) => attribute !== '')) {
    const { name: key, value: text = '' } = halves(part);
    const attribute = ATTRIBUTES[key.toLowerCase()];
    if (!attribute) {
      throw new InvalidArgumentError(
        `${key} is no attribute of a cookie: ${Object.keys(ATTRIBUTES).join(', ')}.`,
      );
    }
    cookie[attribute.name] = attribute.read(text);
  }
  return cookie;
}

function halves(text: string): { name: string; value: string | undefined } {
  const at = text.indexOf('=');
  return at < 0 ? { name: text, value: undefined } : { name: text.slice(0, at), value: text.slice(at + 1) };
}

/** The service takes seconds since 1970; a server may also state a date. */
function secondsOf(value: string): number {
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value);
  if (Number.isNaN(ms)) throw new InvalidArgumentError(`Expires=${value} is no date.`);
  return ms / 1_000;
}
