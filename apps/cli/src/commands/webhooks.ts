import { verifyWebhook } from '@capture-service/client';
import { InvalidArgumentError, type Command } from 'commander';
import { CliError } from '../context/cli-error.js';
import type { CliContext } from '../context/cli-context.js';
import { readInput } from '../files/input-file.js';
import { addCommand, addGroup } from '../context/global-options.js';
import { wholeNumber } from '../options/option-values.js';
import { factsOf, printRecord } from '../terminal/output.js';
import { addDeliveryCommands } from './deliveries.js';

interface VerifyFlags {
  readonly header: Readonly<Record<string, string>>;
  readonly secret?: string;
  readonly toleranceS?: number;
}

/** `capture webhooks …`. */
export function registerWebhooks(program: Command, context: CliContext): void {
  const webhooks = addGroup(program, 'webhooks', 'webhooks that were received, and those that were sent');
  addDeliveryCommands(webhooks, context);
  addCommand(webhooks, 'verify [body]', 'check the signature of a webhook and print its event')
    .option(
      '--header <name: value>',
      'webhook-id, webhook-timestamp and webhook-signature, as received',
      headerOf,
      {},
    )
    .option('--secret <secret>', 'whsec_… of the webhook (default: CAPTURE_WEBHOOK_SECRET)')
    .option('--tolerance-s <s>', 'how old it may be, in seconds (default: 300)', wholeNumber)
    .action(
      async (
        body: string | undefined,
        { header, secret = context.env.CAPTURE_WEBHOOK_SECRET, toleranceS }: VerifyFlags,
      ) => {
        if (!secret) throw new CliError('Set CAPTURE_WEBHOOK_SECRET, or add --secret <whsec_…>.');
        const event = await verifyWebhook(await readInput(context, body ?? '-'), header, {
          secret,
          toleranceS,
        });
        await printRecord(context, event, () =>
          factsOf([
            ['event', event.type],
            ['time', event.timestamp],
          ]),
        );
      },
    );
}

function headerOf(text: string, previous: Readonly<Record<string, string>>): Record<string, string> {
  const [, name, value] = /^([^:\s]+):\s*(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError("It takes 'Name: value'.");
  return { ...previous, [name]: value };
}
