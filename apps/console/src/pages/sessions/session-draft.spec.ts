import { describe, expect, it } from '@jest/globals';
import { EMPTY_DRAFT, isComplete, readState, requestOf, secretNames, stateSummary } from './session-draft.js';

const ACTIONS = [
  { type: 'fill', selector: '#user', value: 'ada' },
  { type: 'fill', selector: '#password', secret: 'password' },
  { type: 'fill', selector: '#again', secret: 'password' },
  { type: 'fill', selector: '#code', totp: 'seed' },
];
const LOG_IN = { ...EMPTY_DRAFT, name: ' shop ', loginUrl: 'https://shop.example/login', actions: ACTIONS };

describe('the form of a new session', () => {
  it('asks for the secrets that the steps name, each once', () => {
    expect(secretNames(LOG_IN)).toEqual(['password', 'seed']);
    expect(secretNames({ actions: [{ type: 'fill', secret: '' }], recording: undefined })).toEqual([]);
    const recording = { steps: [{ type: 'change', secret: 'recorded' }] };
    expect(secretNames({ actions: [], recording })).toEqual(['recorded']);
  });

  it('requests a recording instead of steps', () => {
    const recording = { title: 'Sign in', steps: [{ type: 'change', secret: 'password' }] };
    const draft = { ...LOG_IN, actions: [], recording, secrets: { password: 'correct horse' } };
    expect(isComplete(draft)).toBe(true);
    expect(requestOf(draft).login).toEqual({
      url: 'https://shop.example/login',
      recording,
      secrets: { password: 'correct horse' },
    });
  });

  it('requests a log-in for its own origin, without secrets that no step names', () => {
    const draft = { ...LOG_IN, secrets: { password: 'correct horse', old: 'x' } };
    expect(requestOf(draft)).toEqual({
      name: 'shop',
      origins: ['https://shop.example'],
      login: {
        url: 'https://shop.example/login',
        actions: ACTIONS,
        secrets: { password: 'correct horse', seed: '' },
      },
    });
    expect(requestOf({ ...draft, actions: [], origins: 'https://a.example\nhttps://b.example' })).toEqual({
      name: 'shop',
      origins: ['https://a.example', 'https://b.example'],
      login: { url: 'https://shop.example/login', actions: [] },
    });
  });

  it('requests a state with its check', () => {
    const state = { cookies: [{ name: 'sid' }] };
    const check = { checkUrl: 'https://shop.example/', checkSelector: '.in' };
    const origins = 'https://shop.example';
    expect(requestOf({ ...EMPTY_DRAFT, name: 'a', kind: 'state', state, origins, ...check })).toEqual({
      name: 'a',
      origins: ['https://shop.example'],
      check: { url: 'https://shop.example/', selector: '.in' },
      state,
    });
  });

  it('is complete with a name and a way in', () => {
    expect(isComplete(LOG_IN)).toBe(true);
    expect(isComplete({ ...LOG_IN, name: '' })).toBe(false);
    expect(isComplete({ ...LOG_IN, actions: [] })).toBe(false);
    expect(isComplete({ ...LOG_IN, kind: 'state' })).toBe(false);
    expect(isComplete({ ...LOG_IN, kind: 'state', state: {} })).toBe(true);
  });

  it('reads a state, and shows nothing of a file that is none', () => {
    const state = readState('{"cookies":[{"name":"a"}],"origins":[]}');
    expect(stateSummary(state)).toBe('Cookies: 1. Origins with storage: 0.');
    expect(() => readState('sid=secret')).toThrow('The file is not valid JSON.');
    expect(() => readState('[1]')).toThrow(/no lists of cookies or origins/);
    expect(() => readState('{"cookies":"sid=secret"}')).toThrow(/no lists/);
  });
});
