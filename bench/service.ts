/**
 * A caller of the service. It runs in a process of its own, as raw.ts does: the work of the bench itself, such as reading
 * /proc, must not delay one contestant only.
 */
import { runRound, type Round, type RoundResult } from './round.js';

export interface ServiceRoundResult extends RoundResult {
  /** Time in ms of each capture outside the engine: HTTP, queue, database and store. */
  readonly overheads: readonly number[];
  /** Time in ms of each capture from its acceptance until a worker claimed it. */
  readonly queues: readonly number[];
  /** Time in ms of each capture in each phase, by the name of the phase. */
  readonly phases: Readonly<Record<string, readonly number[]>>;
}

/** The phases in which the browser works. */
const ENGINE_PHASES = ['prepare', 'navigate', 'settle', 'render'];

const { BENCH_URL: url = '', BENCH_KEY: key = '' } = process.env;

process.on('message', (round: Round) => {
  void captureRound(round).then((result) => process.send?.(result));
});
process.send?.('ready');

async function captureRound(round: Round): Promise<ServiceRoundResult> {
  const overheads: number[] = [];
  const queues: number[] = [];
  const byPhase: Record<string, number[]> = {};
  const result = await runRound(round, async (target) => {
    const started = performance.now();
    const response = await fetch(`${url}/v1/capture`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: target, ...round.options }),
    });
    const bytes = await response.arrayBuffer();
    if (!response.ok) throw new Error(`${response.status}: ${Buffer.from(bytes).toString()}`);
    const elapsed = performance.now() - started;
    const phases = readServerTiming(response.headers.get('server-timing') ?? '');
    overheads.push(elapsed - ENGINE_PHASES.reduce((sum, phase) => sum + (phases.get(phase) ?? 0), 0));
    queues.push(phases.get('queue') ?? NaN);
    for (const [phase, ms] of phases) (byPhase[phase] ??= []).push(ms);
  });
  return { ...result, overheads, queues, phases: byPhase };
}

/** Reads the durations in ms of a Server-Timing header, by name. */
function readServerTiming(header: string): Map<string, number> {
  const entries = [...header.matchAll(/(\w+);dur=([\d.]+)/g)];
  return new Map(entries.map(([, name = '', duration]) => [name, Number(duration)]));
}
