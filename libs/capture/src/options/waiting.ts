import { Choice, Text, Whole, type Fault } from '@app/kernel';
import { defineFamily } from '../pipeline/family.js';
import { MAX_SELECTOR_LENGTH, selectorFault } from './selector-rule.js';

const MOMENTS = ['load', 'domcontentloaded', 'networkidle', 'auto'] as const;
const SELECTOR_STATES = ['visible', 'hidden', 'attached'] as const;

export class WaitingOptions {
  @Choice(
    MOMENTS,
    'The moment of loading to wait for. `networkidle`: no request for 500 ms. `auto`: loaded, fonts ready, and network and DOM quiet, in bounded time.',
  )
  wait_until: (typeof MOMENTS)[number] = 'load';

  @Text('CSS selector of an element to wait for.', {
    max: MAX_SELECTOR_LENGTH,
    check: selectorFault,
    example: '#chart svg',
  })
  wait_for_selector?: string;

  @Choice(
    SELECTOR_STATES,
    'What `wait_for_selector` waits for: that its element is seen, is gone, or is in the document.',
  )
  wait_for_selector_state: (typeof SELECTOR_STATES)[number] = 'visible';

  @Text('JavaScript expression to wait for until it is truthy; a promise is awaited.', {
    max: 10_000,
    example: 'window.chartReady === true',
  })
  wait_for_function?: string;

  @Whole('Time in ms to wait after all other waits.', { min: 0, max: 30_000 })
  delay_ms = 0;

  @Whole('Time in ms for the page to reach `wait_until`.', { min: 1_000, max: 120_000 })
  navigation_timeout_ms = 30_000;

  @Whole('Time in ms for the capture as a whole.', { min: 1_000, max: 120_000 })
  timeout_ms = 60_000;

  @Choice(
    ['fail', 'capture'],
    'What to do when a wait runs out: fail with `capture_timeout`, or capture what is there (`complete` is then false).',
  )
  on_timeout: 'fail' | 'capture' = 'fail';
}

function check(options: WaitingOptions, given: ReadonlySet<string>): Fault[] {
  const faults: Fault[] = [];
  if (options.delay_ms >= options.timeout_ms) {
    faults.push({ pointer: '/delay_ms', code: 'conflict', detail: 'must be less than timeout_ms' });
  }
  if (given.has('wait_for_selector_state') && options.wait_for_selector === undefined) {
    faults.push({
      pointer: '/wait_for_selector_state',
      code: 'conflict',
      detail: 'needs wait_for_selector',
    });
  }
  return faults;
}

export const waiting = defineFamily('waiting', 'When the page is ready.', WaitingOptions, { check });
