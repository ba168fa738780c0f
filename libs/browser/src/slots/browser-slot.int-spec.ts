import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { browserEnv, documentTitle } from '../../../../test/support/browser.js';
import { eventually } from '../../../../test/support/eventually.js';
import { loopbackEgress } from '../../../../test/support/loopback-egress.js';
import { browsersOf } from '../../../../test/support/processes.js';
import { BrowserLauncher } from '../process/browser-launcher.js';
import { BrowserSlot, type SlotRules } from './browser-slot.js';
import { PreparedPage } from '../page/prepared-page.js';
import { SlotQueue } from './slot-queue.js';
import { Watchdog, type Watch } from '../watchdog/watchdog.js';

jest.setTimeout(60_000);

const never = new AbortController().signal;

/** Counts the watches that have not ended. */
class OpenWatches extends Watchdog {
  open = 0;

  override watch(group: number): Watch {
    const { excess, end } = super.watch(group);
    this.open += 1;
    const close = (): void => {
      this.open -= 1;
      end();
    };
    return { excess, end: close };
  }
}

describe(BrowserSlot.name, () => {
  const queue = new SlotQueue();
  const slots: BrowserSlot[] = [];
  let launcher: BrowserLauncher;

  beforeAll(async () => {
    launcher = await BrowserLauncher.open(browserEnv());
  });

  afterEach(async () => {
    await Promise.all(slots.splice(0).map((slot) => slot.close()));
  });

  afterAll(() => launcher.close());

  function open(rules: Partial<SlotRules> = {}): BrowserSlot {
    const slot = new BrowserSlot(
      '1',
      {
        launch: () => launcher.launch(),
        egressProxies: loopbackEgress(),
        maxCaptures: 1_000,
        maxAgeMs: 3_600_000,
        maxDecodedBytes: 1e9,
        watchdog: new Watchdog({ bytes: 4e9, processes: 1_000, allBytes: 8e9 }),
        isWarm: false,
        idleMs: 300,
        ...rules,
      },
      queue,
    );
    slots.push(slot);
    slot.start().catch(() => undefined);
    return slot;
  }

  it('ends its browser when no caller has come for a while, and starts another one for the next', async () => {
    const slot = open();
    await eventually('the slot sleeps', () => slot.state().mode === 'asleep');
    for (const times of [1, 2]) {
      const { lease, release } = await queue.acquire(never);
      expect(await documentTitle(lease.page)).toBe('');
      expect(browsersOf(process.pid)).not.toEqual([]);
      release();
      await eventually('the slot sleeps', () => slot.state().mode === 'asleep');
      await eventually('no browser is left', () => browsersOf(process.pid).length === 0);
      expect(slot.state()).toMatchObject({ restarts: 0, ended: { idle: times, lost: 0, used_up: 0 } });
    }
  });

  it('keeps its browser while callers come', async () => {
    const slot = open({ idleMs: 1_000 });
    for (let captures = 0; captures < 8; captures += 1) {
      const { release } = await queue.acquire(never);
      await new Promise((resolve) => setTimeout(resolve, 200));
      release();
    }
    expect(slot.state()).toMatchObject({ restarts: 0, ended: { idle: 0 } });
  });

  it('draws no page between two captures that leave no work in the browser', async () => {
    const draw = jest.spyOn(PreparedPage.prototype, 'draw');
    open({ isWarm: true });
    for (let captures = 0; captures < 8; captures += 1) {
      const { release } = await queue.acquire(never);
      release();
    }
    // The first page of a browser is drawn, and those for which a busy machine left the browser no time to rest.
    expect(draw.mock.calls.length).toBeLessThan(8);
    draw.mockRestore();
  });

  it('has its browser watched while a caller has the page, and no longer', async () => {
    const watchdog = new OpenWatches({ bytes: 4e9, processes: 1_000, allBytes: 8e9 });
    const slot = open({ isWarm: true, watchdog });
    for (let captures = 0; captures < 2; captures += 1) {
      const { release } = await queue.acquire(never);
      expect(watchdog.open).toBe(1);
      release();
      await eventually('the page is free', () => slot.state().mode === 'ready');
      expect(watchdog.open).toBe(0);
    }
  });

  it('never ends a browser that is kept warm for want of callers', async () => {
    const slot = open({ isWarm: true });
    await eventually('it is ready', () => slot.state().mode === 'ready');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(slot.state()).toMatchObject({ mode: 'ready', ended: { idle: 0 } });
  });
});
