import { BrowserPool } from '@app/browser';
import { Env } from '@app/config';
import { loopbackExits } from './loopback-exits.js';

/** A browser of its own for a spec file; the spec starts and closes it. */
export function onePagePool(settings: Partial<Env> = {}): BrowserPool {
  return new BrowserPool(Object.assign(new Env(), { WORKER_SLOTS: 1 }, settings), loopbackExits());
}
