import type { Phase } from '@app/kernel';
import type { EngineTimings } from '../findings/captured.js';

/** The phases of a capture in the engine. */
export type EnginePhase = Extract<Phase, 'prepare' | 'navigate' | 'settle' | 'render'>;

/** Tracks the phase of a capture and the duration of each. */
export class Stopwatch {
  phase: EnginePhase = 'prepare';
  private readonly startedAt = performance.now();
  private enteredAt = this.startedAt;
  private readonly spent: Record<EnginePhase, number> = { prepare: 0, navigate: 0, settle: 0, render: 0 };

  /** @param onEnter is called with each phase that begins after the first */
  constructor(private readonly onEnter: (phase: EnginePhase) => void = () => undefined) {}

  enter(phase: EnginePhase): void {
    const now = performance.now();
    this.spent[this.phase] += now - this.enteredAt;
    this.enteredAt = now;
    if (phase !== this.phase) this.onEnter(phase);
    this.phase = phase;
  }

  /** Time since the start, in whole ms. */
  elapsedMs(): number {
    return Math.round(performance.now() - this.startedAt);
  }

  /** Duration of each phase in whole ms. Ends the current phase. */
  timings(): EngineTimings {
    this.enter(this.phase);
    return {
      prepare_ms: Math.round(this.spent.prepare),
      navigate_ms: Math.round(this.spent.navigate),
      settle_ms: Math.round(this.spent.settle),
      render_ms: Math.round(this.spent.render),
    };
  }
}
