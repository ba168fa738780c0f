import { describe, expect, it } from '@jest/globals';
import {
  descriptionOf,
  fieldsOf,
  moved,
  STEP_TYPES,
  stepsOf,
  wayOf,
  waysOf,
  withField,
  withType,
  withWay,
} from './step-forms.js';

const names = (step: Record<string, unknown>) => {
  const { usual, rare } = fieldsOf(step);
  return [usual.map(({ name }) => name), rare.map(({ name }) => name)];
};

describe('the form of a step', () => {
  it('exists for every type of the API, with a description', () => {
    expect(STEP_TYPES).toEqual(expect.arrayContaining(['click', 'fill', 'wait', 'dialog']));
    expect(STEP_TYPES.filter((type) => descriptionOf(type) === '')).toEqual([]);
    for (const type of STEP_TYPES) expect(names({ type })[1]).toEqual(expect.arrayContaining(['optional']));
  });

  it('has the element first, and what is rarely needed apart', () => {
    expect(names({ type: 'click' })).toEqual([
      ['selector', 'times', 'button'],
      ['timeout_ms', 'optional', 'frame'],
    ]);
  });

  it('has only the fields of the way that is chosen', () => {
    const wait = { type: 'wait', selector: '.ready', state: 'hidden', frame: 'iframe' };
    expect(wayOf(wait)).toBe('selector');
    expect(names(wait)[0]).toEqual(['selector', 'state']);
    expect(withWay(wait, 'ms')).toEqual({ type: 'wait', ms: 500 });
    expect(names({ type: 'wait', ms: 500 })).toEqual([['ms'], ['timeout_ms', 'optional']]);
    expect(withWay(wait, 'idle')).toEqual({ type: 'wait', idle: true });
    const fill = { type: 'fill', selector: '#code', value: 'x', frame: 'iframe' };
    expect(withWay(fill, 'totp')).toEqual({ type: 'fill', selector: '#code', totp: '', frame: 'iframe' });
    expect(waysOf(fill).map(({ value }) => value)).toEqual(['value', 'secret', 'totp']);
    expect(waysOf({ type: 'click' })).toEqual([]);
  });

  it('takes an empty field out, unless it says which way is chosen', () => {
    expect(withField({ type: 'click', selector: '#a', times: 2 }, 'times', '')).toEqual({
      type: 'click',
      selector: '#a',
    });
    expect(withField({ type: 'fill', selector: '#a', secret: 'x' }, 'secret', '')).toEqual({
      type: 'fill',
      selector: '#a',
      secret: '',
    });
  });

  it('keeps what another type has as well', () => {
    const fill = { type: 'fill', selector: '#a', value: 'x', timeout_ms: 500 };
    expect(withType(fill, 'hover')).toEqual({ type: 'hover', selector: '#a', timeout_ms: 500 });
  });

  it('reads only steps, and moves them', () => {
    expect(stepsOf([{ type: 'back' }, null, 'x'])).toEqual([{ type: 'back' }]);
    expect(stepsOf(undefined)).toEqual([]);
    expect(moved(['a', 'b', 'c'], 0, 1)).toEqual(['b', 'a', 'c']);
    expect(moved(['a', 'b', 'c'], 2, 1)).toEqual(['a', 'c', 'b']);
  });
});
