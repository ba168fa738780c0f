import type { Replace } from './virtual-globals.js';
import type { PageRush } from './page-rush.js';
import type { Native, PageClock, PageFrames, PageTimers } from './page-time.js';

/*
 * Functions that replace what a page reads time from and sets its frames and timers with. Each runs in the page, and stands
 * alone like those of page-time.ts.
 */

/** Runs in the page. What scripts keep for themselves, so that it has to be replaced before they run. */
export function replaceClocks(clock: PageClock, replace: Replace): void {
  const { apply, construct, defineProperty } = Reflect;
  const { trunc } = Math;
  const NativeDate = Date;
  const real = Date.now;
  const date = (): number => real() + trunc(clock.ahead);
  replace(Performance.prototype, 'now', {
    apply: (native, self, args) => (apply(native, self, args) as number) + clock.ahead,
  });
  replace(globalThis, 'Date', {
    apply: () => new NativeDate(date()).toString(),
    construct: (native, args, newTarget) =>
      construct(native, args.length === 0 ? [date()] : args, newTarget) as object,
  });
  defineProperty(NativeDate.prototype, 'constructor', { value: Date, configurable: true, writable: true });
  replace(NativeDate, 'now', { apply: date });
}

/** Runs in the page. */
export function replaceFrames(frames: PageFrames, replace: Replace): void {
  const { apply } = Reflect;
  replace(globalThis, 'requestAnimationFrame', {
    apply: (native, self, args) =>
      typeof args[0] === 'function'
        ? frames.request((callback) => apply(native, self, [callback]), args[0] as Native)
        : apply(native, self, args),
  });
  replace(globalThis, 'cancelAnimationFrame', {
    apply: (native, self, args) => {
      apply(native, self, args);
      frames.waiting.drop(+(args[0] as number));
    },
  });
}

/** Runs in the page. */
export function replaceTimers(timers: PageTimers, rush: Pick<PageRush, 'isPassing'>, replace: Replace): void {
  const { apply } = Reflect;
  const LONGEST_MS = 2 ** 31 - 1;
  /** Browsers delay timers that set each other, and intervals, by at least so much. */
  const NESTED_MS = 4;
  const delayOf = (wait: unknown, isDeep: boolean): number => {
    const wanted = +(wait as number);
    const ms = wanted > 0 && wanted <= LONGEST_MS ? wanted : 0;
    return isDeep && ms < NESTED_MS ? NESTED_MS : ms;
  };
  const set =
    (repeats: boolean) =>
    (native: Native, self: object | undefined, args: unknown[]): unknown => {
      const handler = args[0];
      const isOwn = self === undefined || self === globalThis;
      // Code as a text is subject to the policy of the page, which the browser enforces.
      if (typeof handler !== 'function' || !isOwn) return apply(native, self, args);
      const rest: unknown[] = [];
      for (let i = 2; i < args.length; i += 1) rest[i - 2] = args[i];
      const delay = delayOf(args[1], repeats || rush.isPassing);
      const run = (): void => {
        apply(handler as Native, globalThis, rest);
      };
      const start = (fire: () => void): number => apply(native, self, [fire, args[1]]) as number;
      return timers.set(start, { run, everyMs: repeats ? delay : undefined }, delay);
    };
  const clear = (native: Native, self: object, args: unknown[]): unknown => {
    timers.clear(+(args[0] as number));
    return apply(native, self, args);
  };
  replace(globalThis, 'setTimeout', { apply: set(false) });
  replace(globalThis, 'setInterval', { apply: set(true) });
  replace(globalThis, 'clearTimeout', { apply: clear });
  replace(globalThis, 'clearInterval', { apply: clear });
}

/** Runs in the page. What is read so rarely that it is replaced only when the clock is ahead for the first time. */
export function replaceOtherTimes(clock: PageClock, replace: Replace): void {
  const { apply, defineProperty, getOwnPropertyDescriptor } = Reflect;
  const shifted = (value: unknown, by: number): unknown => (typeof value === 'number' ? value + by : value);
  const ahead = {
    apply: (native: Native, self: object, args: unknown[]) => shifted(apply(native, self, args), clock.ahead),
  };
  replace(Event.prototype, 'timeStamp', ahead);
  const main = document.timeline;
  replace(AnimationTimeline.prototype, 'currentTime', {
    apply: (native, self, args) => shifted(apply(native, self, args), self === main ? clock.ahead : 0),
  });
  replace(Animation.prototype, 'startTime', ahead);
  const start = getOwnPropertyDescriptor(Animation.prototype, 'startTime');
  if (!start?.set) return;
  const set = new Proxy(start.set as Native, {
    apply: (native, self, [at]): unknown => apply(native, self, [shifted(at, -clock.ahead)]),
  });
  defineProperty(Animation.prototype, 'startTime', { ...start, set });
}

/**
 * Runs in the page. The replacements are proxies of the browser's functions, whose text lacks their names. Frames of one
 * origin can ask each other's functions, so the name decides.
 */
export function keepTexts(replace: Replace): void {
  const { apply } = Reflect;
  const known = Object.create(null) as Record<string, boolean>;
  const plain = ['requestAnimationFrame', 'cancelAnimationFrame', 'now', 'Date', 'toString'];
  const timers = ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'];
  const accessors = ['get timeStamp', 'get currentTime', 'get startTime', 'set startTime'];
  for (const name of [...plain, ...timers, ...accessors]) known[name] = true;
  replace(Function.prototype, 'toString', {
    apply: (native, self, args) => {
      const text = apply(native, self, args) as string;
      if (text !== 'function () { [native code] }') return text;
      const { name } = self as { name: unknown };
      return typeof name === 'string' && known[name] ? `function ${name}() { [native code] }` : text;
    },
  });
}
