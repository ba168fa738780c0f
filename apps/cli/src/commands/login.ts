import { CaptureClient, VERSION } from '@capture-service/client';
import type { Command } from 'commander';
import { text as textOf } from 'node:stream/consumers';
import { CliError } from '../context/cli-error.js';
import type { CliContext } from '../context/cli-context.js';
import { checkedUrl } from '../context/connection.js';
import { addCommand } from '../context/global-options.js';
import { printRecord } from '../terminal/output.js';
import { loginFile, removeLogin, storeLogin } from '../context/stored-login.js';
import { ask } from '../terminal/ask.js';
import { warnOfVersion } from '../terminal/version-check.js';

/** `capture login` and `capture logout`. */
export function registerLogin(program: Command, context: CliContext): void {
  addCommand(program, 'login [url]', 'check and store the URL of the service and an API key')
    .addHelpText(
      'after',
      '\nThe key is asked for, or read from standard input: capture login https://… < key-file',
    )
    .action((url: string | undefined) => login(context, url));
  addCommand(program, 'logout', 'remove what `capture login` stored').action(async () => {
    const removed = removeLogin(context.env);
    await printRecord(context, { removed }, () => (removed ? 'Logged out.' : 'There was no log-in.'));
  });
}

async function login(context: CliContext, argument: string | undefined): Promise<void> {
  const { flags, env, stdin } = context;
  const isAsked = stdin.isTTY === true;
  const stated = argument ?? flags.server ?? env.CAPTURE_URL;
  if (!stated && !isAsked) throw new CliError('Which service? Run `capture login <url>`.');
  const url = checkedUrl(stated || (await ask(context, 'URL of the service: ')));
  const key = (
    flags.key ?? (isAsked ? await ask(context, 'API key: ', { isSecret: true }) : await textOf(stdin))
  ).trim();
  if (key === '') throw new CliError('The API key is empty.');
  const client = new CaptureClient({ baseUrl: url, key, userAgent: `capture-cli/${VERSION}` });
  // Whatever is at the URL must be a service before it gets the key.
  await warnOfVersion(context, new CaptureClient({ baseUrl: url }));
  await client.usage({ signal: context.signal });
  const file = storeLogin(env, { url, key });
  await printRecord(
    context,
    { url, file },
    () => `Logged in to ${url}. The key is stored in ${loginFile(env)}.`,
  );
}
