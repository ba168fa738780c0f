import { CaptureError } from '@capture-service/client';
import { CliError } from '../context/cli-error.js';
import type { Submission } from './batch-plan.js';
import { optionsFingerprint, sourceFingerprint, type BatchState } from './batch-state.js';
import type { ListSettings } from './list-settings.js';

/** The state of the folder for a list. */
export interface OpenedState {
  readonly state: BatchState;
  /** Whether the folder had none. */
  readonly isNew: boolean;
}

/**
 * The state to go on from, or a new one.
 *
 * @param plan of all rows
 * @throws CliError if the folder belongs to another list
 */
export async function openState(settings: ListSettings, plan: readonly Submission[]): Promise<OpenedState> {
  const { context, folder, flags } = settings;
  const source = sourceFingerprint(plan);
  const options = optionsFingerprint({ ...settings.options, on_invalid: flags.skipInvalid === true });
  const baseUrl = context.connection().url ?? '';
  const state = await folder.readState();
  if (!state) return { state: { baseUrl, source, options: [options], batches: [] }, isNew: true };
  const other = ' Choose another folder, or capture all rows again with --restart.';
  if (state.baseUrl !== baseUrl) {
    throw new CliError(
      `${folder.name} has the files of a list that ${state.baseUrl} captured, not ${baseUrl}.${other}`,
    );
  }
  if (state.source !== source) throw new CliError(`${folder.name} has the files of another list.${other}`);
  await folder.removeParts();
  if (state.options.includes(options)) return { state, isNew: false };
  const isComplete = state.batches.every(({ id }) => id !== undefined);
  if (!flags.retryFailed || !isComplete) {
    throw new CliError(`${folder.name} has the files of this list with other options.${other}`);
  }
  return { state: { ...state, options: [...state.options, options] }, isNew: false };
}

/** Forgets the list of the folder, and cancels what is left of it. The files stay until others replace them. */
export async function discardBatches({ context, client, folder }: ListSettings): Promise<void> {
  const state = await folder.readState().catch((error: unknown) => {
    if (error instanceof CliError) return undefined;
    throw error;
  });
  const ids =
    state?.baseUrl === context.connection().url ? (state?.batches ?? []).flatMap(({ id }) => id ?? []) : [];
  for (const id of ids) {
    try {
      await client.bulk.cancel(id, { signal: context.signal });
    } catch (error) {
      // It has ended, or is deleted.
      if (!(error instanceof CaptureError) || !['job_finished', 'not_found'].includes(error.code))
        throw error;
    }
  }
  await folder.removeState();
}
