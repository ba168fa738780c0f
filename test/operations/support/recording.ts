import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Exposition, type Sample } from '../../support/exposition.js';
import { alerts, parsePromql } from '../../support/promql.js';

/** What Prometheus reads of all processes of an installation at one moment: values by series. */
export type Scrape = Readonly<Record<string, number>>;

/** What the service exported before a fault, and while it lasted. */
export interface Recording {
  readonly before: Scrape;
  readonly during: Scrape;
}

/** A process that Prometheus scrapes, with the labels of its target. */
export interface Target {
  readonly job: 'capture-api' | 'capture-worker';
  readonly instance: string;
  readonly url: string;
}

const FOLDER = 'test/operations/recordings';
const SCRAPE_TIMEOUT_MS = 5_000;

/** The metrics that some alert reads; a recording has no others. */
export const READ_METRICS: ReadonlySet<string> = new Set(
  alerts().flatMap(({ alert, expr }) => parsePromql(alert, expr).selectors.map(({ metric }) => metric)),
);

/** Scrapes as Prometheus does: a target that does not answer has `up` 0 and no other series. */
export async function scrapeAll(targets: readonly Target[]): Promise<Scrape> {
  const scraped = await Promise.all(targets.map(scrapeTarget));
  return Object.fromEntries(scraped.flat());
}

async function scrapeTarget({ job, instance, url }: Target): Promise<[string, number][]> {
  const added = { job, instance };
  const answer = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(SCRAPE_TIMEOUT_MS) }).then(
    (response) => response.text(),
    () => undefined,
  );
  if (answer === undefined) return [[seriesOf('up', added), 0]];
  const read = Exposition.parse(answer).samples.filter(({ name }) => READ_METRICS.has(name));
  return [
    [seriesOf('up', added), 1],
    ...read.map(({ name, labels, value }: Sample): [string, number] => [
      seriesOf(name, { ...labels, ...added }),
      value,
    ]),
  ];
}

/** The name of a series as PromQL writes it. */
export function seriesOf(name: string, labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
  return `${name}{${pairs.sort().join(',')}}`;
}

export function readRecording(name: string): Recording {
  return JSON.parse(readFileSync(fileOf(name), 'utf8')) as Recording;
}

export function writeRecording(name: string, recording: Recording): void {
  writeFileSync(fileOf(name), `${JSON.stringify(recording, null, 2)}\n`);
}

const fileOf = (name: string) => path.join(FOLDER, `${name}.json`);
