import { PHASES, type Phase } from '@app/kernel';

/** The channels of PostgreSQL's NOTIFY for live phases: API processes ask, workers answer. */
export const PHASE_CHANNELS = { asked: 'capture_job_phase_asked', entered: 'capture_job_phase' } as const;

/** An attempt of a job is in a phase. */
export interface PhaseNote {
  readonly id: string;
  readonly attempt: number;
  readonly phase: Phase;
}

export function writePhaseNote({ id, attempt, phase }: PhaseNote): string {
  return `${id} ${attempt} ${phase}`;
}

/** Null for a note of another version of the service. */
export function readPhaseNote(payload: string): PhaseNote | null {
  const [id = '', number, name] = payload.split(' ');
  const [attempt, phase] = [Number(number), PHASES.find((each) => each === name)];
  return phase !== undefined && Number.isInteger(attempt) ? { id, attempt, phase } : null;
}
