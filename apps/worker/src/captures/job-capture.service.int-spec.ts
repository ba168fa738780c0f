import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CaptureEngine } from '@app/capture/engine';
import { AttemptsService, Job } from '@app/jobs';
import { NameServers, WatchedResolver } from '@app/outbound';
import { Capturing } from '../../../../test/support/capturing.js';
import { DnsServer } from '../../../../test/support/dns-server.js';
import { eventually } from '../../../../test/support/eventually.js';
import { noFilters } from '../../../../test/support/filters.js';
import { startJobs } from '../../../../test/support/jobs.js';
import type { StartedModules } from '../../../../test/support/modules.js';
import { ComparisonService } from '../comparison/comparison.service.js';
import { JobCaptureService } from './job-capture.service.js';
import { SessionCaptureService } from './session-capture.service.js';

describe(JobCaptureService.name, () => {
  let server: DnsServer;
  let names: WatchedResolver;
  let capturing: Capturing;
  let jobs: StartedModules;
  let captures: JobCaptureService;

  beforeAll(async () => {
    server = await DnsServer.open();
    const failing = { resolve: () => Promise.reject(new Error('getaddrinfo EAI_AGAIN')) };
    names = new WatchedResolver(failing, new NameServers([server.address]));
    capturing = await Capturing.open(1, { resolver: names });
    jobs = await startJobs();
    const engine = new CaptureEngine(capturing.pool, { maxBytes: 50e6, filters: noFilters });
    captures = new JobCaptureService(
      jobs.app.get(AttemptsService),
      engine,
      // A capture that fails is not compared.
      Object.create(ComparisonService.prototype) as ComparisonService,
      names,
      // It has no session.
      Object.create(SessionCaptureService.prototype) as SessionCaptureService,
    );
  });

  afterAll(() => Promise.all([capturing.close(), jobs.close(), server.close()]));

  const failure = (source: Job['source']): Promise<unknown> => {
    const options = { url: 'http://a.example/' };
    const job = Object.assign(new Job(), { id: 'a', source, options, secrets: null });
    return captures
      .capture(job, new AbortController().signal, () => undefined)
      .then(
        () => null,
        (error: unknown) => error,
      );
  };

  it('stops the capture of a job while no name server answers, and fails one whose caller waits', async () => {
    server.answer = 'refused';
    expect(await failure('job')).toMatchObject({ reason: 'outage' });
    expect(await failure('batch')).toMatchObject({ reason: 'outage' });
    expect(await failure('sync')).toMatchObject({ code: 'dns_unavailable', retryable: true });
  });

  it('fails the capture of a job when only its name cannot be resolved', async () => {
    server.answer = 'noError';
    await eventually('a name server answers again', () => {
      names.recheck();
      return !names.areServersAway;
    });
    expect(await failure('job')).toMatchObject({ code: 'dns_unavailable', retryable: true });
  });
});
