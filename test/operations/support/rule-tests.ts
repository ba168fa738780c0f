import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { dataFolder } from '../../../apps/launcher/src/data-folder.mjs';
import { provideTool } from '../../../apps/launcher/src/apt.mjs';
import { onPath } from '../../../apps/launcher/src/processes.mjs';
import type { Recording, Scrape } from './recording.js';

const RULES = path.resolve('docs/monitoring/alerts.yml');
/** Prometheus scrapes once a minute here, and everything is as before for this long. */
const BEFORE_MIN = 35;
/** Longer than the patience of every alert but one. */
const DURING_MIN = 80;

/** Ages grow by themselves while a fault lasts. */
const AGE = /_oldest_.*seconds\{/;
const COUNTER = /_(total|count|sum|bucket)\{/;

/** The installations of a test: what fires in one must not fire in the other. */
const FAULTY = 'faulty';
const SOUND = 'sound';

/** promtool of the machine, or of Debian's package; undefined where there is neither. */
export async function findPromtool(): Promise<string | undefined> {
  const found = onPath('promtool');
  if (found) return found;
  const into = path.join(dataFolder(), 'tools/prometheus');
  const tool = await provideTool({ packages: ['prometheus'], file: 'usr/bin/promtool', into });
  return tool?.path;
}

export interface RuleTest {
  readonly recording: Recording;
  /** Each must fire for the faulty installation, and none at all for the sound one beside it. */
  readonly firing: readonly string[];
  /** Whether the alert is without an installation, since it is about the absence of all. */
  readonly isGlobal?: boolean;
  readonly duringMin?: number;
}

/**
 * Evaluates the rules over two installations: one where the fault begins, and one where it does not. A fault lasts: what was
 * counted in the time of the recording is counted again each minute, and ages grow.
 *
 * @throws Error with what promtool found instead
 */
export async function expectAlerts(promtool: string, test: RuleTest): Promise<void> {
  const { recording, firing, isGlobal = false, duringMin = DURING_MIN } = test;
  const sound = { before: recording.before, during: recording.before };
  const end = BEFORE_MIN + duringMin - 1;
  const of = isGlobal ? '' : `, installation="${FAULTY}"`;
  const queries = [
    expect(BEFORE_MIN - 1, 'ALERTS', []),
    ...firing.map((alert) =>
      expect(end, `group by (alertname) (ALERTS{alertstate="firing", alertname="${alert}"${of}})`, [
        { labels: `{alertname="${alert}"}`, value: 1 },
      ]),
    ),
    ...(isGlobal ? [] : [expect(end, `ALERTS{installation="${SOUND}"}`, [])]),
  ];
  await runPromtool(promtool, {
    rule_files: [RULES],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: [
          ...inputOf(recording, FAULTY, duringMin),
          ...(isGlobal ? [] : inputOf(sound, SOUND, duringMin)),
        ],
        promql_expr_test: queries,
      },
    ],
  });
}

const expect = (minute: number, expr: string, exp_samples: readonly object[]) => ({
  expr,
  eval_time: `${minute}m`,
  exp_samples,
});

function inputOf({ before, during }: Recording, installation: string, duringMin: number) {
  const names = [...new Set([...Object.keys(before), ...Object.keys(during)])];
  return names.map((name) => ({
    series: name.replace(/\}$/, `,installation="${installation}"}`),
    values: `${valuesBefore(before, name)} ${valuesDuring({ before, during }, name, duringMin)}`,
  }));
}

function valuesBefore(before: Scrape, name: string): string {
  const value = before[name];
  return value === undefined ? `_x${BEFORE_MIN}` : `${value}+0x${BEFORE_MIN - 1}`;
}

function valuesDuring({ before, during }: Recording, name: string, minutes: number): string {
  const value = during[name];
  if (value === undefined) return `stale _x${minutes - 1}`;
  const step = stepOf(name, value, before[name]);
  return `${value}+${step}x${minutes - 1}`;
}

function stepOf(name: string, value: number, before: number | undefined): number {
  if (AGE.test(name)) return value > 0 ? 60 : 0;
  return COUNTER.test(name) ? value - (before ?? 0) : 0;
}

async function runPromtool(promtool: string, tests: object): Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'capture-test-rules-'));
  try {
    const file = path.join(folder, 'tests.yml');
    writeFileSync(file, stringify(tests));
    await promisify(execFile)(promtool, ['test', 'rules', file]);
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`The rules do not fire as expected:\n${stdout}${stderr}`, { cause: error });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
