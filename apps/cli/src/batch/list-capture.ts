import type { Command } from 'commander';
import type { CliContext } from '../context/cli-context.js';
import { CliError } from '../context/cli-error.js';
import type { GivenOptions } from '../options/given-options.js';
import { BATCH_STATE } from './batch-state.js';
import { ListRun } from './list-run.js';
import { listFlagsOf } from './list-flags.js';
import { readLists } from './read-lists.js';
import { WorkFolder } from './work-folder.js';

/** A list to capture. */
interface ListRequest {
  /** Files, or `-` for standard input. */
  readonly sources: readonly string[];
  /** `-o`: the folder of the files. */
  readonly output: string | undefined;
  /** Options of every page, by the names of the API. */
  readonly options: GivenOptions;
  /** The command, for the flags that only lists have. */
  readonly command: Command;
}

/** `capture urls.txt -o folder`. */
export async function captureList(
  context: CliContext,
  { sources, output, options, command }: ListRequest,
): Promise<void> {
  const flags = listFlagsOf(command);
  if (output === undefined || output === '-') {
    throw new CliError('The files of a list need a folder: add -o <folder>.');
  }
  if (flags.restart && flags.retryFailed)
    throw new CliError('--restart and --retry-failed exclude each other.');
  const client = context.client();
  const rows = await readLists(context, sources, flags.from);
  const folder = await WorkFolder.open(output, BATCH_STATE);
  try {
    await new ListRun({ context, client, folder, rows, options, flags }).run();
  } finally {
    await folder.close();
  }
}
