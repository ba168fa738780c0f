/** Of one connection, not of the message: never passed on (RFC 9110, 7.6.1). */
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

/** Raw header pairs without what belongs to the connection, in the order and case they came. */
export function forwarded(raw: readonly string[]): string[] {
  const dropped = new Set(HOP_BY_HOP);
  for (const [name, value] of pairs(raw)) {
    if (name.toLowerCase() !== 'connection') continue;
    for (const token of value.split(',')) dropped.add(token.trim().toLowerCase());
  }
  return [...pairs(raw)].filter(([name]) => !dropped.has(name.toLowerCase())).flat();
}

function* pairs(raw: readonly string[]): Generator<[name: string, value: string]> {
  for (let i = 0; i < raw.length; i += 2) yield [raw[i] ?? '', raw[i + 1] ?? ''];
}
