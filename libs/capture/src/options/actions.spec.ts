import { describe, expect, it } from '@jest/globals';
import { AppError } from '@app/kernel';
import { parseOptions } from '../request/parse-options.js';

const url = 'https://shop.example/login';

function faultsOf(given: object): string[] {
  try {
    parseOptions({ url, ...given });
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return (error.facts.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`);
  }
}

const fill = { type: 'fill', selector: '#a' };

describe('actions', () => {
  it.each([
    [{ type: 'tap', selector: 'a' }, '/type not_allowed'],
    [{ selector: 'a' }, '/type required'],
    [{ type: 'click' }, '/selector required'],
    [{ type: 'click', selector: 'a[' }, '/selector invalid_value'],
    [{ type: 'click', selector: 'a', count: 2 }, '/count unknown_field'],
    [{ type: 'click', selector: 'a', times: 21 }, '/times out_of_range'],
    [{ type: 'click', selector: 'a', button: 'main' }, '/button not_allowed'],
    [{ type: 'click', selector: 'a', timeout_ms: 99 }, '/timeout_ms out_of_range'],
    [{ type: 'click', selector: 'a', optional: 'yes' }, '/optional wrong_type'],
    [{ type: 'click', selector: 'a', frame: ')' }, '/frame invalid_value'],
    [{ ...fill }, ' required'],
    [{ ...fill, value: 'a', secret: 'b' }, '/secret conflict'],
    [{ ...fill, secret: 'unknown' }, '/secret invalid_value'],
    [{ ...fill, totp: 'unknown' }, '/totp invalid_value'],
    [{ type: 'select', selector: 'a' }, '/values required'],
    [{ type: 'select', selector: 'a', values: [] }, '/values too_few'],
    [{ type: 'press', key: 'Ctrl+A' }, '/key invalid_value'],
    [{ type: 'press', key: 'a', frame: 'b' }, '/frame conflict'],
    [{ type: 'scroll' }, ' required'],
    [{ type: 'scroll', by: 1, to: 'top' }, '/to conflict'],
    [{ type: 'wait' }, ' required'],
    [{ type: 'wait', ms: 10_001 }, '/ms out_of_range'],
    [{ type: 'wait', ms: 1, idle: true }, '/idle conflict'],
    [{ type: 'wait', ms: 1, state: 'hidden' }, '/state conflict'],
    [{ type: 'wait', function: 'undefined' }, '/function invalid_value'],
    [{ type: 'navigate', url: 'file:///etc/passwd' }, '/url invalid_value'],
    [{ type: 'navigate', url: 'https://a:b@c.example/' }, '/url invalid_value'],
    [{ type: 'back', selector: 'a' }, '/selector unknown_field'],
    [{ type: 'dialog', accept: false, text: 'a' }, '/text conflict'],
  ])('refuse %j with its pointer', (step, fault) => {
    expect(faultsOf({ actions: [{ type: 'reload' }, step] })).toEqual([`/actions/1${fault}`]);
  });

  it('are at most 30, and no other click is beside them', () => {
    const actions = Array.from({ length: 31 }, () => ({ type: 'reload' }));
    expect(faultsOf({ actions })).toEqual(['/actions too_many']);
    expect(faultsOf({ actions: [{ type: 'reload' }], click_selector: 'a' })).toEqual([
      '/click_selector conflict',
    ]);
  });
});

describe('secrets', () => {
  const step = { ...fill, secret: 'password' };

  it('are named by steps', () => {
    expect(faultsOf({ actions: [step], secrets: { password: 'correct horse' } })).toEqual([]);
  });

  it.each([
    [{ password: 'abc' }, '/secrets invalid_value'],
    [{ 'pass word': 'correct horse' }, '/secrets invalid_value'],
    [{ password: 7 }, '/secrets wrong_type'],
    [
      Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`s${i}`, 'long enough'])),
      '/secrets invalid_value',
    ],
  ])('%j is refused', (secrets, fault) => {
    expect(faultsOf({ actions: [step], secrets })).toContain(fault);
  });

  it('for an authenticator are Base32', () => {
    const actions = [{ ...fill, totp: 'seed' }];
    expect(faultsOf({ actions, secrets: { seed: 'not a seed' } })).toEqual(['/secrets/seed invalid_value']);
    expect(faultsOf({ actions, secrets: { seed: 'JBSWY3DPEHPK3PXP' } })).toEqual([]);
  });

  it('need a page with an origin of its own, and are not cached', () => {
    const given = { actions: [step], secrets: { password: 'correct horse' } };
    expect(faultsOf({ url: undefined, html: 'x', ...given })).toEqual(['/secrets conflict']);
    expect(faultsOf({ ...given, cache_ttl_s: 60 })).toEqual(['/cache_ttl_s conflict']);
  });
});

describe('recording', () => {
  const faultsIn = (...steps: unknown[]): string[] => faultsOf({ recording: { title: 'x', steps } });

  it.each([
    [{ type: 'customStep', name: 'x' }, '/type not_allowed'],
    [{ type: 'close' }, '/type not_allowed'],
    [{ type: 'emulateNetworkConditions' }, '/type not_allowed'],
    [{ type: 'click', target: 'https://other.example/', selectors: [['a']] }, '/target not_allowed'],
    [{ type: 'click' }, '/selectors invalid_value'],
    [{ type: 'click', selectors: [['a'], ['b[']] }, '/selectors/1 invalid_value'],
    [{ type: 'click', selectors: [['a']], frame: ['x'] }, '/frame invalid_value'],
    [{ type: 'click', selectors: [['a']], timeout: 0 }, '/timeout invalid_value'],
    [{ type: 'change', selectors: [['a']] }, '/value invalid_value'],
    [{ type: 'change', selectors: [['a']], secret: 'unknown' }, '/secret invalid_value'],
    [{ type: 'change', selectors: [['a']], totp: 'unknown' }, '/totp invalid_value'],
    [{ type: 'keyDown', key: 'Hyper' }, '/key invalid_value'],
    [{ type: 'navigate', url: 'chrome://version' }, '/url invalid_value'],
    [{ type: 'scroll', y: 'far' }, '/y invalid_value'],
    [{ type: 'waitForElement', selectors: [['a']], properties: {} }, '/properties not_allowed'],
    [{ type: 'waitForElement', selectors: [['a']], count: -1 }, '/count invalid_value'],
    [{ type: 'waitForElement', selectors: [['a']], operator: '>' }, '/operator invalid_value'],
    [{ type: 'waitForExpression' }, '/expression invalid_value'],
  ])('refuses %j with its pointer', (step, fault) => {
    expect(faultsIn({ type: 'setViewport', width: 1 }, step)).toEqual([`/recording/steps/1${fault}`]);
  });

  it('names a secret in place of a value', () => {
    const steps = [{ type: 'change', selectors: [['a']], secret: 'password' }];
    expect(faultsOf({ recording: { steps }, secrets: { password: 'correct horse' } })).toEqual([]);
  });

  it('must have steps, at most 30 of which act, and no actions beside it', () => {
    expect(faultsOf({ recording: {}, secrets: {}, actions: [] })).toEqual([]);
    expect(faultsOf({ recording: { title: 'x' } })).toEqual(['/recording/steps required']);
    const long = { type: 'change', selectors: [['a']], value: 'a'.repeat(10_000) };
    expect(faultsIn(...Array.from({ length: 25 }, () => long))).toEqual(['/recording invalid_value']);
    expect(faultsOf({ recording: { steps: {} } })).toEqual(['/recording/steps wrong_type']);
    expect(faultsOf({ recording: { steps: [], author: 'x' } })).toEqual(['/recording/author unknown_field']);
    const many = Array.from({ length: 31 }, () => ({ type: 'scroll', y: 1 }));
    expect(faultsIn(...many)).toEqual(['/recording/steps too_many']);
    expect(faultsOf({ recording: { steps: [] }, actions: [{ type: 'back' }] })).toEqual([
      '/recording conflict',
    ]);
  });
});
