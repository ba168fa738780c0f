import { BrowserPoolService } from '@app/browser';
import { Env } from '@app/config';
import { loopbackEgress } from './loopback-egress.js';

/** A browser of its own for a spec file; the spec starts and closes it. */
export function onePagePool(settings: Partial<Env> = {}): BrowserPoolService {
  return new BrowserPoolService(Object.assign(new Env(), { WORKER_SLOTS: 1 }, settings), loopbackEgress());
}
