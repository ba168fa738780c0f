import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { DEPENDENCIES, type MetricSpec } from '@app/metrics';
import { API_METRICS } from '../../apps/api/src/metrics/api-metrics.js';
import { WORKER_METRICS } from '../../apps/worker/src/metrics/worker-metrics.js';
import { alerts } from '../support/promql.js';
import { FAULT_ALERTS, RECORDED_ALERTS } from './support/fault-alerts.js';
import { READ_METRICS, readRecording, type Recording, type Scrape } from './support/recording.js';
import { expectAlerts, findPromtool, type RuleTest } from './support/rule-tests.js';

const SPECS: readonly MetricSpec[] = [...Object.values(API_METRICS), ...Object.values(WORKER_METRICS)];
const RECORDINGS = readdirSync('test/operations/recordings').map((file) => file.replace('.json', ''));

const promtool = await findPromtool();
const withPromtool = promtool === undefined ? it.skip : it;
const skipped =
  promtool === undefined ? ' (skipped: there is no promtool here and no apt to fetch it with)' : '';
const expectThat = (test: RuleTest) => expectAlerts(promtool ?? '', test);

/** A recording in which one thing is otherwise while the fault lasts. */
function sound(change: (scrape: Record<string, number>) => void): Recording {
  const { before } = readRecording('queue-down');
  const during = { ...before };
  change(during);
  return { before, during };
}

/** The same, of one metric alone. */
function only(metric: string, change: (scrape: Record<string, number>) => void): Recording {
  const { before, during } = sound(change);
  const isOther = (series: string) => !series.startsWith(`${metric}{`) && !series.startsWith('up{');
  return { before: scrapeWithout(before, isOther), during: scrapeWithout(during, isOther) };
}

/** Sets each series of the metric that has these labels; fails without one. */
function set(scrape: Record<string, number>, value: number, metric: string, ...labels: string[]): void {
  const found = Object.keys(scrape).filter(
    (series) => series.startsWith(`${metric}{`) && labels.every((label) => series.includes(label)),
  );
  if (found.length === 0) throw new Error(`No series of ${metric} was recorded with ${labels.join()}`);
  for (const series of found) scrape[series] = value;
}

/** Adds to each: it is counted again each minute. */
function count(scrape: Record<string, number>, metric: string, ...labels: string[]): void {
  for (const series of Object.keys(scrape).filter((each) => each.startsWith(`${metric}{`)))
    if (labels.every((label) => series.includes(label))) scrape[series] = (scrape[series] ?? 0) + 1;
}

/** Without the series that the filter names. */
const scrapeWithout = (scrape: Scrape, isGone: (series: string) => boolean): Scrape =>
  Object.fromEntries(Object.entries(scrape).filter(([series]) => !isGone(series)));

/** The state of a dependency that no recording has, as that of another one is exported. */
function dependency(name: 'dns' | 'secrets', isUp: (series: string) => boolean): Recording {
  const { before } = readRecording('queue-down');
  const added = Object.keys(before)
    .filter((series) => series.includes('dependency="database"') && series.includes('capture-worker'))
    .map((series) => series.replace('"database"', `"${name}"`));
  expect(added.length).toBe(2);
  return {
    before: { ...before, ...Object.fromEntries(added.map((series) => [series, 1])) },
    during: { ...before, ...Object.fromEntries(added.map((series) => [series, isUp(series) ? 1 : 0])) },
  };
}

describe('the recordings', () => {
  it.each(RECORDINGS)('%s has only series that the service exports', (name) => {
    const { before, during } = readRecording(name);
    for (const series of [...Object.keys(before), ...Object.keys(during)]) {
      const [, metric = '', text = ''] = /^(\w+)\{(.*)\}$/.exec(series) ?? [];
      expect([series, READ_METRICS.has(metric)]).toEqual([series, true]);
      const spec = SPECS.find((each) => each.name === metric.replace(/_(count|bucket|sum)$/, ''));
      if (!spec) expect(series).toMatch(/^(up|nodejs_)/);
      const labels = [...text.matchAll(/(\w+)="/g)].map(([, label = '']) => label);
      const known = [
        'instance',
        'job',
        ...(spec?.labels ?? []),
        ...(metric.endsWith('_bucket') ? ['le'] : []),
      ];
      expect([series, labels.filter((label) => !known.includes(label))]).toEqual([series, []]);
    }
  });

  it('have every metric that an alert reads', () => {
    const recorded = new Set(
      RECORDINGS.flatMap((name) => Object.keys(readRecording(name).during).map((each) => each.split('{')[0])),
    );
    expect([...READ_METRICS].filter((metric) => !recorded.has(metric))).toEqual([]);
  });

  it('know no dependency that is not one', () => {
    const named = RECORDINGS.flatMap((name) =>
      [...JSON.stringify(readRecording(name)).matchAll(/dependency=\\"(\w+)\\"/g)].map(([, each]) => each),
    );
    expect([...new Set(named)].filter((each) => !DEPENDENCIES.some((known) => known === each))).toEqual([]);
  });
});

describe('each fault of test/faults', () => {
  const names = ['quick', 'slow'].flatMap((folder) =>
    readdirSync(`test/faults/${folder}`).flatMap((file) => {
      const source = readFileSync(`test/faults/${folder}/${file}`, 'utf8');
      return [...source.matchAll(/(?:fault|world\))\(\s*['`]([^'`$]+)/g)].map(([, name = '']) => name.trim());
    }),
  );

  it('says which alerts fire, or why none does', () => {
    expect(names.length).toBeGreaterThan(30);
    expect(names.filter((name) => !(name in FAULT_ALERTS))).toEqual([]);
  });

  it.each(RECORDINGS)('is the reason for the recording %s', (recording) => {
    expect(Object.keys(RECORDED_ALERTS)).toContain(recording);
    expect(causesOf(recording).length).toBeGreaterThan(0);
  });

  it('has an alert that some condition fires, where no recording does', () => {
    const conditions = Object.values(FAULT_ALERTS).flatMap((outcome) =>
      'condition' in outcome ? [outcome.condition] : [],
    );
    expect(conditions.filter((alert) => !(alert in CONDITIONS))).toEqual([]);
  });

  const recorded = Object.entries(RECORDED_ALERTS).map(
    ([recording, firing]) => [causesOf(recording).join(', '), firing.join(', '), recording, firing] as const,
  );
  withPromtool.each(recorded)(`%s: %s fire${skipped}`, async (_, __, recording, firing) => {
    await expectThat({ recording: readRecording(recording), firing });
  });
});

/** The faults that a recording is of. */
function causesOf(recording: string): string[] {
  return Object.entries(FAULT_ALERTS).flatMap(([fault, outcome]) =>
    'recording' in outcome && outcome.recording === recording ? [fault] : [],
  );
}

/** What no fault of test/faults causes: recorded series, with one of them as it would be. */
const CONDITIONS: Readonly<Record<string, () => Omit<RuleTest, 'firing'>>> = {
  CaptureApiAbsent: () => {
    const { before } = readRecording('no-api');
    return {
      recording: { before, during: scrapeWithout(before, (series) => series.includes('capture-api')) },
      isGlobal: true,
    };
  },
  CaptureApiDown: () => {
    // As on Kubernetes, where the targets of pods that are gone are gone, too.
    const { before } = readRecording('no-api');
    return {
      recording: { before, during: scrapeWithout(before, (series) => series.includes('capture-api')) },
    };
  },
  CaptureDnsDown: () => ({ recording: dependency('dns', () => false) }),
  CaptureSecretsUnreadable: () => ({
    recording: dependency('secrets', (series) => series.includes('worker-2')),
  }),
  CaptureServiceMetricsMissing: () => {
    const { before } = readRecording('queue-down');
    return {
      recording: {
        before,
        during: scrapeWithout(before, (series) => series.startsWith('capture_service_jobs{')),
      },
    };
  },
  CaptureWorkersNotScraped: () => {
    const { before } = readRecording('queue-down');
    return {
      recording: { before, during: scrapeWithout(before, (series) => series.includes('capture-worker')) },
    };
  },
  CaptureQueueStuck: () => ({
    recording: sound((scrape) =>
      set(scrape, 1, 'capture_service_jobs_oldest_seconds', 'dispatched', 'background'),
    ),
  }),
  CaptureRunningTooLong: () => ({
    recording: sound((scrape) =>
      set(scrape, 1, 'capture_service_jobs_oldest_seconds', 'running', 'background'),
    ),
  }),
  CaptureWebhooksDelayed: () => ({
    recording: sound((scrape) => set(scrape, 1, 'capture_service_webhooks_oldest_due_seconds')),
  }),
  CaptureUpkeepFails: () => ({
    recording: sound((scrape) => count(scrape, 'capture_upkeep_failures_total', 'task="reconcile"')),
  }),
  CaptureEventLoopLag: () => ({
    recording: sound((scrape) => set(scrape, 2, 'nodejs_eventloop_lag_p99_seconds', 'capture-api')),
  }),
  CaptureInteractiveSlow: () => ({
    // Each minute one capture that has waited for more than 10 s.
    recording: sound((scrape) => {
      for (const le of ['30', '60', '300', '1800', '7200', '28800', '86400', '+Inf'])
        count(scrape, 'capture_queue_wait_seconds_bucket', 'interactive', `le="${le}"`);
    }),
  }),
  CaptureDatabasePoolExhausted: () => ({
    recording: sound((scrape) => set(scrape, 3, 'capture_pool_waiting', 'worker-2')),
  }),
  CaptureBatchesUnannounced: () => ({
    recording: sound((scrape) => set(scrape, 1, 'capture_service_batches_unannounced')),
  }),
  CaptureBatchCountsCorrected: () => ({
    recording: sound((scrape) => count(scrape, 'capture_batches_corrected_total')),
  }),
  CaptureFilterListErrors: () => ({
    // A day of everything would take promtool a minute.
    recording: only('capture_filter_list_errors', (scrape) =>
      set(scrape, 1, 'capture_filter_list_errors', 'worker-2'),
    ),
    duringMin: 26 * 60,
  }),
};

describe('each alert', () => {
  it('is fired by a fault or by a condition', () => {
    const fired = new Set<string>([...Object.values(RECORDED_ALERTS).flat(), ...Object.keys(CONDITIONS)]);
    expect(
      alerts()
        .map(({ alert }) => alert)
        .filter((alert) => !fired.has(alert)),
    ).toEqual([]);
  });

  withPromtool.each(Object.entries(CONDITIONS))(
    `fires in its condition: %s${skipped}`,
    async (alert, condition) => {
      await expectThat({ ...condition(), firing: [alert] });
    },
  );

  withPromtool(`does not fire by what another installation shows${skipped}`, async () => {
    const quiet = readRecording('queue-down').before;
    await expectThat({ recording: { before: quiet, during: quiet }, firing: [] });
  });
});
