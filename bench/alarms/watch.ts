import { setTimeout as sleep } from 'node:timers/promises';
import { json, type Client, type Json } from '../../test/support/client.js';
import { eventually } from '../../test/support/eventually.js';
import { addCheck, type PageHistory } from './pictures.js';

/** `stable` as docs/monitors.md recommends. */
const CAPTURE = { stable: true, viewport_width: 1_000, viewport_height: 1_000, timeout_ms: 120_000 };

/** A monitor of one page or many. */
export class Watch {
  readonly histories: PageHistory[];

  private constructor(
    private readonly client: Client,
    private readonly name: string,
    private readonly id: string,
    private readonly pages: number,
  ) {
    this.histories = Array.from({ length: pages }, () => []);
  }

  /** Adds the monitor, and waits for its first check. */
  static async start(client: Client, name: string, urls: readonly string[]): Promise<Watch> {
    const monitor = await json(
      client.post('/v1/monitors', {
        name,
        schedule: { every_s: 31_536_000 },
        batch: { defaults: CAPTURE, items: urls.map((url) => ({ url })) },
        alert: { ignore_selectors: ['.clock'] },
        keep: { unchanged: 1_000, changed: 1_000 },
      }),
    );
    if (typeof monitor.id !== 'string') throw new Error(JSON.stringify(monitor));
    const watch = new Watch(client, name, monitor.id, urls.length);
    await watch.latest();
    return watch;
  }

  async check(): Promise<Json[]> {
    const answer = await this.client.post(`/v1/monitors/${this.id}/run`, {});
    if (!answer.ok) throw new Error(await answer.text());
    return this.latest();
  }

  /** Waits until the latest checks have an outcome, and keeps their pictures. */
  private async latest(): Promise<Json[]> {
    let found: Json[] = [];
    const haveEnded = async (): Promise<boolean> => {
      await sleep(500);
      const { items } = await json(this.client.get(`/v1/monitors/${this.id}/checks?limit=${this.pages}`));
      found = items as Json[];
      return found.length === this.pages && found.every(({ outcome }) => typeof outcome === 'string');
    };
    await eventually('the checks have ended', haveEnded, 3_600_000);
    const outcomes = Map.groupBy(found, ({ outcome, reason }) => JSON.stringify([outcome, reason]));
    console.log(
      new Date().toISOString(),
      this.name,
      [...outcomes].map(([name, all]) => `${all.length} ${name}`).join(', '),
    );
    for (const { page, outcome, capture_ids: ids } of found) {
      const history = this.histories[Number(page) - 1];
      if (history && outcome !== 'failed') await addCheck(this.client, history, ids as string[]);
    }
    return found;
  }
}
