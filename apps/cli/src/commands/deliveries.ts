import type { DeliveryFilters, DeliveryItem, DeliveryRecord, WebhookSecret } from '@capture-service/client';
import type { Command } from 'commander';
import type { CliContext } from '../context/cli-context.js';
import { addCommand } from '../context/global-options.js';
import { factsOf, printList, printRecord, type Column } from '../terminal/output.js';
import { addLimitFlags, limited, pageOf, type LimitFlags } from './limit-flags.js';

interface ListFlags extends LimitFlags {
  readonly state?: DeliveryFilters['state'];
  readonly type?: DeliveryFilters['type'];
  readonly subjectId?: string;
}

const COLUMNS: readonly Column<DeliveryItem>[] = [
  { title: 'ID', of: ({ id }) => id },
  { title: 'STATE', of: ({ state }) => state },
  { title: 'EVENT', of: ({ type }) => type },
  { title: 'CREATED', of: ({ created_at: at }) => at },
  { title: 'ATTEMPTS', of: ({ attempts }) => attempts, right: true },
  { title: 'STATUS', of: ({ last_status: status }) => status, right: true },
  { title: 'URL', of: ({ url }) => url },
];

/** `capture webhooks list`, `get`, `replay`, `test` and `secret`. The service checks the values of the flags. */
export function addDeliveryCommands(webhooks: Command, context: CliContext): void {
  const list = addCommand(webhooks, 'list', 'deliveries, newest first')
    .option('--state <state>', 'pending, delivered, failed or stopped')
    .option('--type <event>', 'such as capture.failed')
    .option('--subject-id <id>', 'about this job or batch');
  addLimitFlags(list).action((flags: ListFlags) =>
    printList(context, listDeliveries(context, flags), COLUMNS),
  );
  const print = (record: DeliveryRecord): Promise<void> =>
    printRecord(context, record, () => deliveryText(record));
  addCommand(webhooks, 'get <id>', 'a delivery with its attempts and its body').action(async (id: string) =>
    print(await context.client().webhooks.delivery(id, { signal: context.signal })),
  );
  addCommand(webhooks, 'replay <id>', 'send a delivery again').action(async (id: string) =>
    print(await context.client().webhooks.replay(id, { signal: context.signal })),
  );
  addCommand(webhooks, 'test <url>', 'send a test to an endpoint').action(async (url: string) =>
    print(await context.client().webhooks.test({ url }, { signal: context.signal })),
  );
  addCommand(webhooks, 'secret', 'the secret that signs the webhooks of the account')
    .option('--rotate', 'create a new one; the previous one also signs for 24 hours')
    .action(async ({ rotate }: { rotate?: boolean }) => {
      const { webhooks: api } = context.client();
      const call = { signal: context.signal };
      const secret: WebhookSecret = await (rotate ? api.rotateSecret(call) : api.secret(call));
      await printRecord(context, secret, () => secret.secret);
    });
}

/** The deliveries that the flags choose. They are requested as far as they are read. */
function listDeliveries(context: CliContext, flags: ListFlags): AsyncGenerator<DeliveryItem> {
  const { state, type, subjectId } = flags;
  const filters = {
    ...(state !== undefined && { state }),
    ...(type !== undefined && { type }),
    ...(subjectId !== undefined && { subject_id: subjectId }),
    limit: pageOf(flags),
  };
  return limited(context.client().webhooks.deliveries(filters, { signal: context.signal }), flags);
}

function deliveryText({ log, body, ...record }: DeliveryRecord): string {
  const attempts = log.map(
    ({ at, status, error }) => [at, [status, error].filter((part) => part !== null).join(' ')] as const,
  );
  return factsOf([
    ['id', record.id],
    ['event', record.type],
    [record.subject_kind, record.subject_id],
    ['url', record.url],
    ['state', record.state],
    ['next attempt', record.next_attempt_at],
    ...attempts,
    ['body', body],
  ]);
}
