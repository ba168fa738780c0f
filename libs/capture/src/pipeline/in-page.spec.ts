import { runInThisContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { toSource } from './in-page.js';

describe('toSource', () => {
  /** Runs the source as a page does, without what surrounds it here. */
  const inPage = (source: string, argument: unknown): unknown =>
    (runInThisContext(`(${source})`) as (argument: unknown) => unknown)(argument);

  it('sends the classes and functions that a function uses', () => {
    class Doubled {
      constructor(readonly value: number) {}

      get result(): number {
        return twice(this.value);
      }
    }
    function twice(value: number): number {
      return 2 * value;
    }
    const run = (value: number): number => new Doubled(value).result;
    expect(inPage(toSource({ run, uses: [Doubled, twice] }), 3)).toBe(6);
  });

  it('sends a class under its name when its text has none, as in a bundle', () => {
    const Base = class {
      readonly answer: number = 41;
    };
    const Derived = class extends Base {
      override readonly answer = 42;
    };
    expect(String(Base)).toMatch(/^class \{/);
    const run = (): number => new Derived().answer;
    expect(inPage(toSource({ run, uses: [Base, Derived] }), null)).toBe(42);
  });
});
