/**
 * `npm run bench -- outputs [--rounds 6]` compares several outputs of one visit with as many visits: three windows, a PDF and
 * Markdown of each page of the bench. Then it measures what a scaled picture, `metadata` and a comparison add to a capture. The
 * captures that are compared alternate and take turns in being first, so that other load of the machine affects all.
 */
import { parseArgs } from 'node:util';
import { startApps } from '../test/support/apps.js';
import { runRoundOf, startContestant } from './contestant.js';
import { servePages } from './pages.js';
import { percentile } from './round.js';
import { HEADER, measured, Tally } from './report.js';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '6' } } });
const OUTPUTS = [
  { name: 'desktop' },
  { name: 'tablet', viewport_width: 768, viewport_height: 1024 },
  {
    name: 'phone',
    viewport_width: 390,
    viewport_height: 844,
    device_scale_factor: 2,
    mobile: true,
    touch: true,
  },
  { name: 'sheet', format: 'pdf' },
  { name: 'words', format: 'markdown' },
];
type Options = Readonly<Record<string, unknown>>;

/** Makes every picture of a page another one. */
const CHANGING = { js: 'document.body.prepend(String(performance.timeOrigin))' };

/** The captures of each contestant: their times are added up. */
const COMPARED: Readonly<Record<string, Readonly<Record<string, readonly Options[]>>>> = {
  'one visit / as many visits (goal: at most 0.45)': {
    'one visit': [{ outputs: OUTPUTS }],
    [`${OUTPUTS.length} visits`]: OUTPUTS.map(({ name: _, ...options }) => options),
  },
  'full page, scaled down / as it is': {
    'full page, 400 px': [{ full_page: true, image_width: 400 }],
    'full page': [{ full_page: true }],
  },
  'with metadata / without': { metadata: [{ metadata: true }], 'no metadata': [{}] },
  'unchanged page, compared / not compared': {
    'unchanged, compared': [{ compare_with: 'previous' }],
    unchanged: [{}],
  },
  'changed page, compared / not compared': {
    'changed, compared': [{ ...CHANGING, compare_with: 'previous' }],
    changed: [CHANGING],
  },
};

await using pages = await servePages();
await using apps = await startApps({
  WORKER_SLOTS: '1',
  BROWSER_MAX_CAPTURES: '100000',
  EGRESS_ALLOW: `127.0.0.1:${pages.port}`,
});
const caller = await startContestant('./service.js', { BENCH_URL: apps.url, BENCH_KEY: apps.key });
console.log(HEADER);
for (const [title, contestants] of Object.entries(COMPARED)) await compare(title, contestants);
caller.disconnect();

async function compare(
  title: string,
  contestants: Readonly<Record<string, readonly Options[]>>,
): Promise<void> {
  const entries = Object.entries(contestants).map(([name, captures]) => ({
    name,
    captures,
    tally: new Tally(),
  }));
  const order = [...entries];
  // The first round warms up.
  for (let round = 0; round <= Number(values.rounds); round++) {
    for (const url of pages.urls) {
      for (const { captures, tally } of order) {
        await measured(round === 0 ? new Tally() : tally, apps.pids, () => captureAll(url, captures));
      }
      order.push(...order.splice(0, 1));
    }
  }
  for (const { name, tally } of entries) console.log(tally.line(name));
  const [one, other] = entries.map(({ tally }) => tally);
  if (one && other) console.log(`${title}: ${ratios(one, other)}\n`);
}

/** The captures one after the other, as one that takes as long as all of them. */
async function captureAll(
  url: string,
  all: readonly Options[],
): Promise<{ durations: number[]; elapsed: number }> {
  let total = 0;
  for (const options of all) {
    const plan = { urls: [url], captures: 1, concurrency: 1, options: { ...options, response: 'json' } };
    const { durations } = await runRoundOf(caller, plan);
    total += durations[0] ?? NaN;
  }
  return { durations: [total], elapsed: total };
}

/** The pages differ, and other load comes and goes: a time is compared with that of its neighbour. */
function ratios(one: Tally, other: Tally): string {
  const pairs = one.durations.map((duration, i) => duration / (other.durations[i] ?? NaN));
  return `time ${percentile(pairs, 0.5).toFixed(2)}, CPU ${(one.cpuS / other.cpuS).toFixed(2)}`;
}
