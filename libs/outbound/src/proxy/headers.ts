/** Fields of the connection rather than the message, which are never forwarded (RFC 9110, 7.6.1). */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/**
 * Fields that a `Connection` header must not name (RFC 9110, 7.6.1), because they are meant for every recipient. If a hostile
 * message could remove one, it would change where the body ends, where the request goes or who may read the response.
 */
const END_TO_END = new Set([
  'host',
  'content-length',
  'content-type',
  'content-encoding',
  'content-range',
  'content-disposition',
  'content-security-policy',
  'accept-ranges',
  'access-control-allow-origin',
  'access-control-allow-credentials',
  'authorization',
  'cache-control',
  'clear-site-data',
  'cookie',
  'cross-origin-embedder-policy',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'expires',
  'location',
  'origin',
  'pragma',
  'range',
  'referer',
  'referrer-policy',
  'set-cookie',
  'vary',
  'www-authenticate',
  'x-content-type-options',
  'x-frame-options',
]);

/** The raw headers without those of the connection, in their order and case. */
export function forwardedHeaders(raw: readonly string[]): string[] {
  const dropped = new Set(HOP_BY_HOP);
  for (const [name, value] of pairs(raw)) {
    if (name.toLowerCase() !== 'connection') continue;
    for (const token of value.split(',')) {
      const nominated = token.trim().toLowerCase();
      if (!END_TO_END.has(nominated)) dropped.add(nominated);
    }
  }
  return [...pairs(raw)].filter(([name]) => !dropped.has(name.toLowerCase())).flat();
}

function* pairs(raw: readonly string[]): Generator<[name: string, value: string]> {
  for (let i = 0; i < raw.length; i += 2) yield [raw[i] ?? '', raw[i + 1] ?? ''];
}
