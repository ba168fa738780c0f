import type { CliContext } from '../cli-context.js';
import { CliError } from '../cli-error.js';
import type { ListCapture, ListRequest } from '../commands/capture.js';
import { BatchFolder } from './batch-folder.js';
import { ListRun } from './list-run.js';
import { addListFlags, listFlagsOf, refuseListFlags } from './list-flags.js';
import { readLists } from './read-lists.js';

/** `capture urls.txt -o folder`. */
export const LISTS: ListCapture = {
  addOptions: addListFlags,
  refuseOptions: refuseListFlags,
  run: captureList,
};

async function captureList(
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
  const folder = await BatchFolder.open(output);
  try {
    await new ListRun({ context, client, folder, rows, options, flags }).run();
  } finally {
    await folder.close();
  }
}
