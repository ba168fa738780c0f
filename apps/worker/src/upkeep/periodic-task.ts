/**
 * Work that every worker repeats for as long as it runs: one file with one such class, and one line in tasks.ts.
 *
 * All workers have all tasks. Work that must not run twice at the same time takes an advisory lock of its own.
 */
export interface PeriodicTask {
  /** Names the task in the log and as the label `task` of `capture_upkeep_failures_total`. */
  readonly name: string;

  /** Time between the end of one run and the start of the next. */
  readonly periodMs: number;

  /**
   * One run. When it rejects, the failure is logged and counted, and the next run tries again.
   *
   * @param signal aborts when the worker shuts down; what can wait for another worker's next run should be left to it
   */
  run(signal: AbortSignal): Promise<void>;

  /** Runs once, before the first run. It may subscribe to notifications of new work; `wake` starts a run early. */
  onStart?(wake: () => void): Promise<void>;
}

/** Injection token of all tasks, as a value has no class. */
export const PERIODIC_TASKS = Symbol('PERIODIC_TASKS');
