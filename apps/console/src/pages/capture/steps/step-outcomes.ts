import { CaptureError, type FieldError, type JobRecord } from '@capture-service/client';
import type { StepsOption } from './step-request.js';

/** A capture up to a step. */
export interface StepRun {
  readonly job: JobRecord | undefined;
  readonly error: Error | null;
}

/** What is known of a step. */
export interface StepOutcome {
  /** What is wrong with it. */
  readonly faults: readonly string[];
  /** The capture that shows the page after it, or at the moment at which it failed. */
  readonly shown: JobRecord | undefined;
  /** The number of the step before it at which its own run ended. */
  readonly failedAt: number | undefined;
  /** Why its run failed, if that is about no step. */
  readonly failure: Error | undefined;
}

/** What the runs of all steps, and the faults of the whole capture, say about one of them. */
export function outcomeOf({ runs, refused, option }: StepRuns, index: number): StepOutcome {
  const own = runs[index];
  // A run up to a later step may have failed at this one.
  const failed = runs.slice(index).find(({ error }) => faultsAt(errorsOf(error), option, index).length > 0);
  const faults = [...faultsAt(errorsOf(failed?.error), option, index), ...faultsAt(refused, option, index)];
  const failedAt = stepOf(errorsOf(own?.error), option);
  return {
    faults: [...new Set(faults)],
    shown: failed?.job ?? (own?.error ? undefined : own?.job),
    failedAt: failedAt === index ? undefined : failedAt,
    failure: failedAt === undefined ? (own?.error ?? undefined) : undefined,
  };
}

export interface StepRuns {
  readonly runs: readonly StepRun[];
  readonly refused: readonly FieldError[];
  readonly option: StepsOption;
}

/** The picture of a capture up to a step. */
export function pictureOf({ files }: Pick<JobRecord, 'files'>) {
  const [file] = files;
  return typeof file?.url === 'string' ? { ...file, url: file.url } : undefined;
}

const PLACES: Readonly<Record<StepsOption, RegExp>> = {
  actions: /^\/actions\/(\d+)(?:\/(.*))?$/,
  recording: /^\/recording\/steps\/(\d+)(?:\/(.*))?$/,
};

function errorsOf(error: Error | null | undefined): readonly FieldError[] {
  return error instanceof CaptureError ? error.errors : [];
}

/** The number of the step that the first fault is about. */
function stepOf(errors: readonly FieldError[], option: StepsOption): number | undefined {
  const [place] = errors.flatMap(({ pointer }) => PLACES[option].exec(pointer)?.[1] ?? []);
  return place === undefined ? undefined : Number(place);
}

function faultsAt(errors: readonly FieldError[], option: StepsOption, index: number): string[] {
  return errors.flatMap(({ pointer, detail }) => {
    const [, place, field = ''] = PLACES[option].exec(pointer) ?? [];
    if (place !== String(index)) return [];
    return field === '' ? detail : `${field} ${detail}`;
  });
}
