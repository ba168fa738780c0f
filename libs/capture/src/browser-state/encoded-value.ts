/**
 * Values of IndexedDB that JSON cannot hold, as Playwright writes them: `{"d":"2026-01-01T00:00:00.000Z"}` is a date, and
 * `{"o":[{"k":"a","v":1}],"id":1}` an object, to which `{"ref":1}` refers again. Maps (`m`) and sets (`se`) are written likewise, which
 * Playwright leaves out. These functions run in a page.
 */

/** Runs in the page. Whether JSON holds the value as it is. `above` are the objects that hold it. */
export function isPlainJson(value: unknown, above: readonly unknown[] = []): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== 'object' || above.includes(value)) return false;
  const within = [...above, value];
  if (Array.isArray(value)) return value.every((item) => isPlainJson(item, within));
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  return Object.values(value).every((item) => isPlainJson(item, within));
}

/** Runs in the page. The value in Playwright's notation. What it has no notation for, such as a file, is left out. */
export function encodeValue(value: unknown, seen = new Map<object, number>()): unknown {
  if (value === undefined) return { v: 'undefined' };
  if (value === null) return { v: 'null' };
  if (typeof value === 'bigint') return { bi: value.toString() };
  if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0))) {
    return { v: Object.is(value, -0) ? '-0' : String(value) };
  }
  if (typeof value !== 'object') return value;
  if (value instanceof Date) return { d: value.toJSON() };
  if (value instanceof RegExp) return { r: { p: value.source, f: value.flags } };
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) {
    const [bytes, kind] =
      value instanceof ArrayBuffer
        ? [new Uint8Array(value), 'ab']
        : [new Uint8Array(value.buffer, value.byteOffset, value.byteLength), value.constructor.name];
    const b = btoa([...bytes].map((byte) => String.fromCharCode(byte)).join(''));
    return value instanceof ArrayBuffer ? { ab: { b } } : { ta: { b, k: kind } };
  }
  const known = seen.get(value);
  if (known !== undefined) return { ref: known };
  const id = seen.size + 1;
  seen.set(value, id);
  if (Array.isArray(value)) return { a: value.map((item) => encodeValue(item, seen)), id };
  if (value instanceof Map) {
    return { m: [...value].map((pair) => pair.map((each: unknown) => encodeValue(each, seen))), id };
  }
  if (value instanceof Set) return { se: [...value].map((item) => encodeValue(item, seen)), id };
  return { o: Object.entries(value).map(([k, v]) => ({ k, v: encodeValue(v, seen) })), id };
}

interface Encoded {
  readonly v?: string;
  readonly d?: string;
  readonly u?: string;
  readonly bi?: string;
  readonly r?: { readonly p: string; readonly f: string };
  readonly ab?: { readonly b: string };
  readonly ta?: { readonly b: string; readonly k: string };
  readonly a?: readonly unknown[];
  readonly m?: readonly (readonly [unknown, unknown])[];
  readonly se?: readonly unknown[];
  readonly o?: readonly { readonly k: string; readonly v: unknown }[];
  readonly id?: number;
  readonly ref?: number;
}

/** Runs in the page. */
export function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0));
}

/** Runs in the page. The reverse of `encodeValue`. */
export function decodeValue(encoded: unknown, seen = new Map<number, unknown>()): unknown {
  if (typeof encoded !== 'object' || encoded === null) return encoded;
  const { v, d, u, bi, r, ab, ta, a, m, se, o, id = 0, ref } = encoded as Encoded;
  if (v !== undefined) return v === 'undefined' ? undefined : v === 'null' ? null : Number(v);
  if (d !== undefined) return new Date(d);
  if (u !== undefined) return u;
  if (bi !== undefined) return BigInt(bi);
  if (r) return new RegExp(r.p, r.f);
  if (ab) return bytesOf(ab.b).buffer;
  if (ta) {
    const View = (globalThis as unknown as Record<string, new (buffer: unknown) => unknown>)[ta.k];
    return View ? new View(bytesOf(ta.b).buffer) : undefined;
  }
  if (ref !== undefined) return seen.get(ref);
  const known = <T>(made: T): T => {
    seen.set(id, made);
    return made;
  };
  if (a) {
    const items = known<unknown[]>([]);
    items.push(...a.map((item) => decodeValue(item, seen)));
    return items;
  }
  if (m) {
    const map = known(new Map<unknown, unknown>());
    for (const [key, item] of m) map.set(decodeValue(key, seen), decodeValue(item, seen));
    return map;
  }
  if (se) {
    const set = known(new Set<unknown>());
    for (const item of se) set.add(decodeValue(item, seen));
    return set;
  }
  const fields = known<Record<string, unknown>>({});
  for (const { k, v: field } of o ?? []) {
    const value = decodeValue(field, seen);
    Object.defineProperty(fields, k, { value, writable: true, enumerable: true, configurable: true });
  }
  return fields;
}
