import type { CaptureFile, JobOptions, JobRecord } from '@capture-service/client';
import type { Command } from 'commander';
import type { CliContext } from '../context/cli-context.js';
import { deliver, savedText } from '../capture/deliver.js';
import { destinationOf } from '../capture/destination.js';
import { addCommand, addGroup } from '../context/global-options.js';
import { addCaptureOptions } from '../options/option-flags.js';
import { printList, printRecord, write } from '../terminal/output.js';
import { pageOptions } from '../options/page-options.js';
import { CAPTURE_COLUMNS, recordText, requireSuccess, stateOf } from '../terminal/record-text.js';
import { withProgress } from '../terminal/progress.js';
import { addHistoryFilters, listHistory, type HistoryFlags } from './history.js';

/** `capture jobs …`: captures in the background. */
export function registerJobs(program: Command, context: CliContext): void {
  const jobs = addGroup(program, 'jobs', 'captures in the background');
  registerCreate(jobs, context);
  addHistoryFilters(addCommand(jobs, 'list', 'jobs, newest first'), ['source']).action(
    (flags: HistoryFlags) =>
      printList(context, listHistory(context, { ...flags, source: 'job' }), CAPTURE_COLUMNS),
  );
  addCommand(jobs, 'get <id>', 'the record of a job').action(async (id: string) => {
    const job = await context.client().jobs.get(id, { signal: context.signal });
    await printRecord(context, job, () => recordText(job));
  });
  addCommand(jobs, 'wait <id>', 'wait until a job has ended; fails if the job failed').action(
    async (id: string) => ended(context, await waited(context, id)),
  );
  addCommand(jobs, 'events <id>', 'the record of a job now and after each change, one line each').action(
    async (id: string) => {
      for await (const job of context.client().jobs.events(id, { signal: context.signal })) {
        await write(context, `${context.isTTY && !context.json ? stateOf(job) : JSON.stringify(job)}\n`);
      }
    },
  );
  addCommand(jobs, 'result <id>', 'write the file of a job')
    .option('-o, --output <path>', 'file, folder, or - for standard output')
    .action(async (id: string, { output }: { output?: string }) => {
      const destination = await destinationOf(output);
      const file: CaptureFile = await context.client().jobs.result(id, { signal: context.signal });
      const delivered = await deliver(context, destination, file);
      if (delivered.path !== undefined) await write(context, `${savedText(context, delivered)}\n`);
    });
  addCommand(jobs, 'cancel <id>', 'cancel a job that has not ended').action(async (id: string) => {
    const job = await context.client().jobs.cancel(id, { signal: context.signal });
    await printRecord(context, job, () => recordText(job));
  });
}

interface CreateFlags {
  readonly wait?: boolean;
  readonly webhookUrl?: string;
}

function registerCreate(jobs: Command, context: CliContext): void {
  const create = addCommand(
    jobs,
    'create [page]',
    'submit a capture and print its record; takes all options of a capture',
  )
    .option('--wait', 'wait until the job has ended; Ctrl-C cancels it')
    .option('--webhook-url <url>', 'URL that is notified when the job has ended');
  addCaptureOptions(create).action(async (page: string | undefined, { wait, webhookUrl }: CreateFlags) => {
    const options = {
      ...(await pageOptions(context, create, page)),
      ...(webhookUrl && { webhook_url: webhookUrl }),
    };
    const { jobs: api } = context.client();
    // Ctrl-C waits for the answer: without the id the job could not be canceled.
    const job = await api.create(options as unknown as JobOptions);
    if (context.signal.aborted) await api.cancel(job.id);
    context.signal.throwIfAborted();
    if (!wait) return printRecord(context, job, () => recordText(job));
    const forget = context.onInterrupt(async () => void (await api.cancel(job.id)));
    try {
      await ended(context, await waited(context, job.id));
    } finally {
      forget();
    }
  });
}

function waited(context: CliContext, id: string): Promise<JobRecord> {
  return withProgress(context, `job ${id}`, (progress) =>
    context
      .client()
      .jobs.wait(
        id,
        { onChange: (job) => progress.update(`job ${id}: ${stateOf(job)}`) },
        { signal: context.signal },
      ),
  );
}

async function ended(context: CliContext, job: JobRecord): Promise<void> {
  await printRecord(context, job, () => recordText(job));
  requireSuccess(job);
}
