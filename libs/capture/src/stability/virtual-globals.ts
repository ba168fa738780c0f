import type { VirtualTime } from './virtual-time.js';

/*
 * Functions that replace what a page reads time and randomness from, and sets its timers with. Each runs in the page, and
 * stands alone like those of virtual-time.ts.
 */

type Native = (...args: unknown[]) => unknown;
interface Handler {
  readonly apply?: (native: Native, self: object, args: unknown[]) => unknown;
  readonly construct?: (native: Native, args: unknown[], newTarget: Native) => object;
}
/** Replaces a function of the browser, or the getter of a property, if the browser has it. */
export type Replace = (owner: object, name: string, handler: Handler) => void;

/**
 * Runs in the page. A replacement is a Proxy of the browser's own function: it has its name, its properties and its
 * `[native code]`, it can be extended like `Date`, and it throws the browser's own errors.
 */
export function createReplace(): Replace {
  const { defineProperty, getOwnPropertyDescriptor } = Reflect;
  return (owner, name, handler) => {
    const property = getOwnPropertyDescriptor(owner, name);
    const kind = property?.get ? 'get' : 'value';
    const native = property?.[kind] as Native | undefined;
    if (property && native) defineProperty(owner, name, { ...property, [kind]: new Proxy(native, handler) });
  };
}

/** Runs in the page. */
export function virtualDates(time: VirtualTime, replace: Replace, epoch: number): void {
  const { apply, construct, defineProperty } = Reflect;
  const { trunc } = Math;
  const NativeDate = Date;
  const date = (): number => epoch + trunc(time.read());
  /** Calls the browser's function first, which throws for a wrong `this`. */
  const returning = (value: () => unknown): Handler => ({
    apply: (native, self, args) => (apply(native, self, args), value()),
  });
  replace(globalThis, 'Date', {
    apply: () => new NativeDate(date()).toString(),
    construct: (native, args, newTarget) =>
      construct(native, args.length === 0 ? [date()] : args, newTarget) as object,
  });
  defineProperty(Date.prototype, 'constructor', { value: Date, configurable: true, writable: true });
  replace(Date, 'now', { apply: date });
  replace(
    Performance.prototype,
    'now',
    returning(() => time.read()),
  );
  replace(
    Performance.prototype,
    'timeOrigin',
    returning(() => epoch),
  );
  replace(
    Event.prototype,
    'timeStamp',
    returning(() => time.now),
  );
}

/** Runs in the page. Texts of the present. */
export function virtualFormats(time: VirtualTime, replace: Replace, epoch: number): void {
  const { apply } = Reflect;
  const { trunc } = Math;
  const date = (given: unknown): unknown => given ?? epoch + trunc(time.read());
  replace(Intl.DateTimeFormat.prototype, 'formatToParts', {
    apply: (native, self, args) => apply(native, self, [date(args[0])]),
  });
  const formats = new WeakMap<object, Native>();
  const [known, keep] = [formats.get.bind(formats), formats.set.bind(formats)];
  replace(Intl.DateTimeFormat.prototype, 'format', {
    apply: (native, self, args) => {
      const format = apply(native, self, args) as Native;
      if (!known(format))
        keep(format, new Proxy(format, { apply: (plain, _, given) => plain(date(given[0])) }));
      return known(format);
    },
  });
}

/** What of `Temporal` is used; TypeScript does not know it yet. */
interface WithTemporal {
  readonly Temporal?: {
    readonly Now: { timeZoneId(): string };
    readonly Instant: { fromEpochMilliseconds(ms: number): { toZonedDateTimeISO(zone: unknown): Zoned } };
  };
}
type Zoned = Readonly<Record<'toPlainDateTime' | 'toPlainDate' | 'toPlainTime', () => unknown>>;

/** Runs in the page. */
export function virtualTemporal(time: VirtualTime, replace: Replace, epoch: number): void {
  const { Temporal } = globalThis as WithTemporal;
  if (!Temporal) return;
  const { Now, Instant } = Temporal;
  const zoneId = Now.timeZoneId.bind(Now);
  const { trunc } = Math;
  const instant = () => Instant.fromEpochMilliseconds(epoch + trunc(time.read()));
  const zoned = (zone: unknown): Zoned => instant().toZonedDateTimeISO(zone ?? zoneId());
  replace(Now, 'instant', { apply: instant });
  replace(Now, 'zonedDateTimeISO', { apply: (_, __, args) => zoned(args[0]) });
  replace(Now, 'plainDateTimeISO', { apply: (_, __, args) => zoned(args[0]).toPlainDateTime() });
  replace(Now, 'plainDateISO', { apply: (_, __, args) => zoned(args[0]).toPlainDate() });
  replace(Now, 'plainTimeISO', { apply: (_, __, args) => zoned(args[0]).toPlainTime() });
}

/** Runs in the page. */
export function virtualTimers(time: VirtualTime, replace: Replace): void {
  const { apply } = Reflect;
  const { max } = Math;
  const LONGEST_MS = 2 ** 31 - 1;
  const plainTimeout = setTimeout.bind(globalThis);
  const delayOf = (wait: unknown): number => {
    const ms = +(wait as number);
    // A deep timer is delayed, as the HTML standard says; a longer delay than the longest overflows to none.
    return max(ms > 0 && ms <= LONGEST_MS ? ms : 0, time.depth >= 5 ? 4 : 0);
  };
  const set =
    (repeats: boolean): Handler['apply'] =>
    (native, self, args) => {
      if (args.length === 0) return apply(native, self, args);
      const handler = args[0];
      const rest: unknown[] = [];
      for (let i = 2; i < args.length; i += 1) rest[i - 2] = args[i];
      const run = (): void => {
        if (typeof handler === 'function') apply(handler as Native, globalThis, rest);
        // Code as a text is subject to the policy of the page, which the browser enforces.
        else plainTimeout(handler as () => void, 0);
      };
      const delay = delayOf(args[1]);
      return time.schedule(run, time.now + delay, repeats ? max(delay, 4) : undefined);
    };
  const clear: Handler = { apply: (_, __, args) => time.cancel(+(args[0] as number)) };
  replace(globalThis, 'setTimeout', { apply: set(false) });
  replace(globalThis, 'setInterval', { apply: set(true) });
  replace(globalThis, 'clearTimeout', clear);
  replace(globalThis, 'clearInterval', clear);
}

/** Runs in the page. Frames come 60 times a virtual second. */
export function virtualFrames(time: VirtualTime, replace: Replace): void {
  const { apply } = Reflect;
  const { floor, max } = Math;
  const FRAME_MS = 1_000 / 60;
  // The sum of fractions may be a little below the frame that it stands for.
  const nextFrame = (): number => (floor(time.now / FRAME_MS + 0.001) + 1) * FRAME_MS;
  const isCallback = (value: unknown): value is Native => typeof value === 'function';
  replace(globalThis, 'requestAnimationFrame', {
    apply: (native, self, args) => {
      const callback = args[0];
      if (!isCallback(callback)) return apply(native, self, args);
      return time.schedule((now) => apply(callback, undefined, [now]), nextFrame());
    },
  });
  replace(globalThis, 'requestIdleCallback', {
    apply: (native, self, args) => {
      const callback = args[0];
      if (!isCallback(callback)) return apply(native, self, args);
      // It shrinks as it is read: pages work until none is left.
      let left = 10;
      const timeRemaining = (): number => (left = max(0, left - 0.1));
      const run = (): unknown => apply(callback, undefined, [{ didTimeout: false, timeRemaining }]);
      return time.schedule(run, nextFrame());
    },
  });
  const clear: Handler = { apply: (_, __, args) => time.cancel(+(args[0] as number)) };
  replace(globalThis, 'cancelAnimationFrame', clear);
  replace(globalThis, 'cancelIdleCallback', clear);
}

/** Runs in the page. The same document in the same place of the page has the same random numbers. */
export function seededRandom(replace: Replace, place: string): void {
  const { apply } = Reflect;
  const { imul } = Math;
  let state = 0x811c9dc5;
  for (let i = 0; i < place.length; i += 1) state = imul(state ^ place.charCodeAt(i), 0x01000193);
  /** Mulberry32: 32 bits, even for seeds that are alike. */
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const Bytes = Uint8Array;
  const DIGITS = '0123456789abcdef';
  const byteText = (byte: number): string => `${DIGITS[byte >> 4]}${DIGITS[byte & 15]}`;
  replace(Math, 'random', { apply: () => ((next() >>> 5) * 2 ** 26 + (next() >>> 6)) / 2 ** 53 });
  replace(Crypto.prototype, 'getRandomValues', {
    apply: (native, self, args) => {
      // The browser checks the array first.
      const array = apply(native, self, args) as Uint8Array;
      const bytes = new Bytes(array.buffer, array.byteOffset, array.byteLength);
      for (let i = 0; i < bytes.length; i += 1) bytes[i] = next();
      return array;
    },
  });
  replace(Crypto.prototype, 'randomUUID', {
    apply: (native, self, args) => {
      apply(native, self, args);
      let text = '';
      for (let i = 0; i < 16; i += 1) {
        const byte = next() & 255;
        text +=
          (i === 4 || i === 6 || i === 8 || i === 10 ? '-' : '') +
          byteText(i === 6 ? (byte & 15) | 64 : i === 8 ? (byte & 63) | 128 : byte);
      }
      return text;
    },
  });
}

/**
 * Runs in the page. Closed shadow roots are open to the capture, which has to hold still what is in them, and closed to the
 * page as before.
 */
export function openShadows(replace: Replace): void {
  const { apply, defineProperty } = Reflect;
  const derive = Object.create as (prototype: object) => object;
  const closed = new WeakSet<object>();
  const [isClosed, close] = [closed.has.bind(closed), closed.add.bind(closed)];
  replace(Element.prototype, 'attachShadow', {
    apply: (native, self, args) => {
      const init = args[0] as ShadowRootInit | undefined;
      if (init?.mode !== 'closed') return apply(native, self, args);
      const opened = derive(init);
      defineProperty(opened, 'mode', { value: 'open' });
      const root = apply(native, self, [opened]) as object;
      close(root);
      return root;
    },
  });
  replace(Element.prototype, 'shadowRoot', {
    apply: (native, self, args) => {
      const root = apply(native, self, args) as object | null;
      return root && isClosed(root) ? null : root;
    },
  });
  replace(ShadowRoot.prototype, 'mode', {
    apply: (native, self, args) => {
      const mode = apply(native, self, args);
      return isClosed(self) ? 'closed' : mode;
    },
  });
}
