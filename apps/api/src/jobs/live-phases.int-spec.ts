import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LivePhasesService, PhaseReportsService, type ReportPhase } from '@app/jobs';
import { startApi, type TestApi } from '../../../../test/support/api.js';
import { Client, json } from '../../../../test/support/client.js';
import { allEventsOf } from '../../../../test/support/event-source.js';
import { eventually } from '../../../../test/support/eventually.js';

const PAGE = { url: 'https://example.com/page' };

describe('the phase of a job', () => {
  let api: TestApi;
  /** A second process of the API, which nobody asked before. */
  let other: TestApi;
  let client: Awaited<ReturnType<TestApi['client']>>;

  beforeAll(async () => {
    api = await startApi();
    other = await startApi({}, api);
    client = await api.client();
  });

  afterAll(async () => {
    await other.close();
    await api.close();
  });

  const phaseOf = async (id: string) => (await json(client.get(`/v1/jobs/${id}`))).phase;
  const reports = () => api.app.get(PhaseReportsService, { strict: false });

  /** Claims a new job as a worker does; `end` ends it. */
  async function running() {
    const { id } = await json(client.submit(PAGE));
    const claimed = await api.claim(client);
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    let report: ReportPhase = () => undefined;
    const work = reports().runPhase({ id: String(id), attempt: 1 }, (given) => ((report = given), ended));
    return {
      id: String(id),
      report: (...[phase]: Parameters<ReportPhase>) => report(phase),
      end: async () => {
        await claimed.succeed();
        end();
        await work;
      },
    };
  }

  it('is null before and after the capture, and what the worker does in between', async () => {
    const { id: queued } = await json(client.submit(PAGE));
    expect(await phaseOf(String(queued))).toBeNull();
    await (await api.claim(client)).succeed();
    const job = await running();
    await eventually('the worker answers', async () => (await phaseOf(job.id)) === 'prepare');
    job.report('navigate');
    await eventually('the phase changes', async () => (await phaseOf(job.id)) === 'navigate');
    await job.end();
    expect(await phaseOf(job.id)).toBeNull();
  });

  it('is in the events, each with an id of its own, also at another process', async () => {
    const job = await running();
    const path = `/v1/jobs/${job.id}/events`;
    const responses = await Promise.all(
      [api, other].map(({ url }) => new Client({ url, key: client.apiKey }).get(path)),
    );
    const streams = responses.map((response) => allEventsOf(response));
    for (const phase of ['navigate', 'settle', 'render'] as const) {
      job.report(phase);
      await eventually('both processes know the phase', () =>
        [api, other].every(
          ({ app }) =>
            app
              .get(LivePhasesService, { strict: false })
              .phaseOf({ id: job.id, attempt: 1, status: 'running' }) === phase,
        ),
      );
      await eventually('the phase is shown', async () => (await phaseOf(job.id)) === phase);
    }
    await job.end();
    for (const events of await Promise.all(streams)) {
      const ids = events.map(({ id }) => id);
      expect(ids).toEqual([...new Set(ids)]);
      expect(ids.at(-1)).toBe('succeeded.1');
      expect(ids).toContain('running.1.render');
    }
  });

  it('is not notified of while nobody looks at the job', async () => {
    const heard: string[] = [];
    const phases = api.app.get(LivePhasesService, { strict: false });
    phases.on('entered', (id) => heard.push(id));
    const unwatched = await running();
    unwatched.report('navigate');
    const watched = await running();
    await eventually('the watched one is heard of', async () => (await phaseOf(watched.id)) === 'prepare');
    expect(heard).toContain(watched.id);
    expect(heard).not.toContain(unwatched.id);
    await unwatched.end();
    await watched.end();
  });

  it('is that of the current attempt only', async () => {
    const job = await running();
    await eventually('the phase is known', async () => (await phaseOf(job.id)) === 'prepare');
    await api.database.query('UPDATE jobs SET attempt = 2 WHERE id = $1', [job.id]);
    expect(await phaseOf(job.id)).toBeNull();
    await api.database.query('UPDATE jobs SET attempt = 1 WHERE id = $1', [job.id]);
    await job.end();
  });
});
