// What specs and their helpers import from `@jest/globals`. Helpers are loaded once for all specs of a process, whereas Jest
// has other functions for each spec: every export finds those of the spec that runs.

let current;

/** @param {object} functions what `@jest/globals` exports for the spec that begins */
export function use(functions) {
  current = functions;
}

/** A function that calls the one at this path of names, with all that hangs on it: `it.each`, `expect.any`. */
function standIn(...path) {
  const children = new Map();
  return new Proxy(function () {}, {
    apply(_, __, args) {
      const owner = path.slice(0, -1).reduce((value, name) => value[name], current);
      return owner[path.at(-1)](...args);
    },
    get(_, name) {
      if (!children.has(name)) children.set(name, standIn(...path, name));
      return children.get(name);
    },
  });
}

export const afterAll = standIn('afterAll');
export const afterEach = standIn('afterEach');
export const beforeAll = standIn('beforeAll');
export const beforeEach = standIn('beforeEach');
export const describe = standIn('describe');
export const expect = standIn('expect');
export const it = standIn('it');
export const jest = standIn('jest');
export const test = standIn('test');
