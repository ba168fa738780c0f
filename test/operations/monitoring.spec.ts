import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Env } from '@app/config';
import { ERRORS, fieldsOf } from '@app/kernel';
import { MetricsService, SHARED_METRICS, type MetricCatalogue, type MetricSpec } from '@app/metrics';
import { API_METRICS } from '../../apps/api/src/metrics/api-metrics.js';
import { WORKER_METRICS } from '../../apps/worker/src/metrics/worker-metrics.js';
import { Exposition } from '../support/exposition.js';
import { alerts, documentedExpressions, parsePromql } from '../support/promql.js';

const CATALOGUES: Record<string, MetricCatalogue> = { API: API_METRICS, worker: WORKER_METRICS };
const SPECS = Object.values(CATALOGUES).flatMap((catalogue) => Object.values(catalogue));
const FILES = ['docs/operations.md', 'docs/monitoring/alerts.yml', 'docs/monitoring/grafana.json'];

/** Labels whose values would grow with the requests. */
const UNBOUNDED = /url|host|account|key|id$|path|error|message|reference/;

/** The labels that Prometheus adds to the series of a target. */
const ADDED = ['job', 'instance', 'installation'];

/** The names under which a metric is scraped. */
function seriesOf({ name, kind }: MetricSpec): string[] {
  return kind === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`, name] : [name];
}

async function defaultNames(): Promise<string[]> {
  const metrics = new MetricsService();
  metrics.watchProcess();
  return Exposition.parse(await metrics.expose()).samples.map(({ name }) => name);
}

const read = (file: string) => readFileSync(file, 'utf8');

describe('our own metrics', () => {
  it.each(SPECS.map((spec) => [spec.name, spec] as const))(
    '%s follows the naming rules of Prometheus',
    (name, spec) => {
      expect(name).toMatch(/^capture_[a-z]+(_[a-z]+)*$/);
      expect(name.endsWith('_total')).toBe(spec.kind === 'counter');
      if (spec.kind === 'histogram') expect(name).toMatch(/_seconds$/);
      expect(name).not.toMatch(/_(ms|milliseconds|kb|mb|minutes)\b/);
      expect(spec.help).toMatch(/^[A-Z].*\.$/);
      for (const label of spec.labels) expect(label).not.toMatch(UNBOUNDED);
    },
  );

  it('have unique names, except those that both applications serve', () => {
    const servedTwice = Object.keys(SHARED_METRICS).length;
    expect(new Set(SPECS.map(({ name }) => name)).size).toBe(SPECS.length - servedTwice);
  });
});

describe.each(FILES)('%s', (file) => {
  const text = read(file);

  it('names only metrics that exist', async () => {
    const known = new Set([...SPECS.flatMap(seriesOf), ...(await defaultNames())]);
    const named = text.match(/\b(capture|process|nodejs)_[a-z0-9_]*[a-z0-9]\b/g) ?? [];
    // `capture_service_…` in prose names a family.
    const families = ['capture_service'];
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((name) => !known.has(name) && !families.includes(name) && !(name in ERRORS))).toEqual(
      [],
    );
  });

  it('uses only labels that the metrics have', () => {
    const selected = [...text.matchAll(/\b(capture_[a-z_]+)\{([^}]*)\}/g)];
    for (const [, name = '', selectors = ''] of selected) {
      const spec = SPECS.find((each) => seriesOf(each).includes(name));
      const labels = [...selectors.matchAll(/([a-z_]+)\s*[=!]~?"/g)].map(([, label]) => label);
      for (const label of labels)
        expect([name, [...ADDED, ...(spec?.labels ?? [])]]).toEqual([name, expect.arrayContaining([label])]);
    }
  });
});

describe('docs/operations.md', () => {
  const text = read('docs/operations.md');

  it('explains each alert, and none that does not exist', () => {
    const rules = [...read('docs/monitoring/alerts.yml').matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
    const rows = [...text.matchAll(/^\| `(Capture\w+)` \|/gm)].map(([, name]) => name);
    expect(rules.length).toBeGreaterThan(10);
    expect(rows.toSorted()).toEqual(rules.toSorted());
  });

  it('has a meaning, a runbook and a patience for each alert', () => {
    const headings = new Set(
      [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title.toLowerCase().replaceAll(' ', '-')),
    );
    const meanings = new Map(
      [...text.matchAll(/^\| `(Capture\w+)` \| (.*?) \| .+ \|$/gm)].map(([, name, meaning = '']) => [
        name,
        meaning.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'),
      ]),
    );
    for (const { alert, for: patience, labels, annotations } of alerts()) {
      const [page, section] = annotations.runbook.split('#');
      expect([alert, page, headings.has(section ?? '')]).toEqual([alert, 'docs/operations.md', true]);
      expect([alert, annotations.summary]).toEqual([alert, meanings.get(alert)]);
      expect([alert, patience]).toEqual([alert, expect.stringMatching(/^\d+[mhd]$/)]);
      expect(['page', 'ticket']).toContain(labels.severity);
    }
  });

  it('names only variables that exist', () => {
    // The variables of the service, and those that only docker-compose.yml reads.
    const composed = [...read('docker-compose.yml').matchAll(/\$\{([A-Z0-9_]+)/g)].map(([, name]) => name);
    const variables = new Set([...fieldsOf(Env).map(({ name }) => name), ...composed]);
    const named = text.match(/`[A-Z0-9]+(_[A-Z0-9]+)+`/g)?.map((quoted) => quoted.slice(1, -1)) ?? [];
    expect(named.filter((name) => !variables.has(name))).toEqual([]);
  });

  it('quotes only messages that the service logs', () => {
    const sources = ['apps', 'libs'].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && !file.includes('spec'))
        .map((file) => read(`${folder}/${file}`)),
    );
    const quoted = [text, read('docs/usage.md')].flatMap((each) => [
      ...each.matchAll(/`((?:an?|the|not) [a-z][^`|]+|[A-Z][a-z]+ [^`]+: …)`/g),
    ]);
    expect(quoted.length).toBeGreaterThan(6);
    for (const [, message = ''] of quoted) {
      const begin = message.replace(/…$/, '');
      expect([message, sources.some((source) => source.includes(begin))]).toEqual([message, true]);
    }
  });
});

describe('the rules', () => {
  it('keep installations apart: each aggregation and match is by the label of theirs', () => {
    for (const { alert, expr } of alerts()) {
      const { groupedBy } = parsePromql(alert, expr);
      const aggregations = expr.match(/\b(?:sum|min|max|avg|count|group|on) ?(?:by ?)?\(/g) ?? [];
      const kept = groupedBy.filter((label) => label === 'installation');
      expect([alert, kept.length]).toEqual([alert, aggregations.length]);
    }
  });

  it('watch for what is absent', () => {
    const texts = alerts().map(({ expr }) => expr);
    expect(texts.filter((text) => text.includes('absent(')).length).toBeGreaterThan(0);
  });
});

describe('the dashboard', () => {
  const { panels } = JSON.parse(read('docs/monitoring/grafana.json')) as {
    panels: { id: number; title: string; targets: { expr: string }[] }[];
  };

  it('shows each of our own metrics, unless an alert does', () => {
    const read = new Set(
      documentedExpressions().flatMap(({ selectors }) => selectors.map(({ metric }) => metric)),
    );
    const unread = SPECS.filter((spec) => !seriesOf(spec).some((name) => read.has(name)));
    // The worker's own share of what the whole service reports, and what /readyz explains.
    expect(unread.map(({ name }) => name)).toEqual([
      'capture_batch_rows_total',
      'capture_worker_slots',
      'capture_worker_slots_usable',
      'capture_worker_slots_busy',
      'capture_worker_slots_healthy',
      'capture_egress_requests_total',
      'capture_filter_rules',
    ]);
  });

  it('has panels with unique ids and metrics', () => {
    expect(panels.length).toBeGreaterThan(5);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const { targets } of panels) {
      for (const { expr } of targets) expect(expr).toMatch(/(capture|nodejs)_/);
    }
  });
});
