import type { Command } from 'commander';
import type { CliContext } from '../context/cli-context.js';
import { deliver, savedText, type DeliveredFile } from '../capture/deliver.js';
import { destinationOf } from '../capture/destination.js';
import { addCommand, addGroup } from '../context/global-options.js';
import { printList, printRecord, write } from '../terminal/output.js';
import { CAPTURE_COLUMNS, recordText } from '../terminal/record-text.js';
import { addHistoryFilters, listHistory, type HistoryFlags } from './history.js';

const OUTPUT = ['-o, --output <path>', 'file, folder, or - for standard output'] as const;

interface OutputFlag {
  readonly output?: string;
}

/** `capture captures …`: the history of the account. */
export function registerCaptures(program: Command, context: CliContext): void {
  const captures = addGroup(program, 'captures', 'the history of the account, and its files');
  addHistoryFilters(addCommand(captures, 'list', 'captures, newest first')).action((flags: HistoryFlags) =>
    printList(context, listHistory(context, flags), CAPTURE_COLUMNS),
  );
  addCommand(captures, 'get <id>', 'the record of a capture').action(async (id: string) => {
    const record = await context.client().captures.get(id, { signal: context.signal });
    await printRecord(context, record, () => recordText(record));
  });
  addCommand(captures, 'download <id>', 'write the file of a capture')
    .option('--name <output>', 'the file of this output (default: the first)')
    .option(...OUTPUT)
    .action((id: string, { output, name }: OutputFlag & { name?: string }) =>
      download(context, output, (call) => context.client().captures.file(id, name, call)),
    );
  addCommand(captures, 'archive <id>', 'write all files of a capture and its record as a zip archive')
    .option(...OUTPUT)
    .action((id: string, { output }: OutputFlag) =>
      download(context, output, (call) => context.client().captures.archive(id, call)),
    );
  registerDelete(captures, context);
}

async function download(
  context: CliContext,
  output: string | undefined,
  get: (call: { signal: AbortSignal }) => Promise<DeliveredFile>,
): Promise<void> {
  const destination = await destinationOf(output);
  const delivered = await deliver(context, destination, await get({ signal: context.signal }));
  if (delivered.path !== undefined) await write(context, `${savedText(context, delivered)}\n`);
}

function registerDelete(captures: Command, context: CliContext): void {
  addCommand(captures, 'delete <ids...>', 'delete the files of captures and empty their records')
    .option('--record', 'delete the records as well')
    .action(async (ids: string[], { record }: { record?: boolean }) => {
      const { captures: api } = context.client();
      const call = { signal: context.signal };
      for (const id of ids) {
        if (record) {
          await api.delete(id, { record: true }, call);
          continue;
        }
        const emptied = await api.delete(id, {}, call);
        await write(
          context,
          `${context.isTTY && !context.json ? `deleted ${id}` : JSON.stringify(emptied)}\n`,
        );
      }
    });
}
