import { CaptureError, type SessionRecord } from '@capture-service/client';
import type { Command } from 'commander';
import { deliver, savedText } from '../capture/deliver.js';
import { destinationOf } from '../capture/destination.js';
import { CliError } from '../context/cli-error.js';
import type { CliContext } from '../context/cli-context.js';
import { EXIT } from '../context/exit-codes.js';
import { addCommand, addGroup } from '../context/global-options.js';
import { wholeNumber } from '../options/option-values.js';
import { factsOf, printList, printRecord, write, type Column } from '../terminal/output.js';
import { withProgress } from '../terminal/progress.js';
import { addLimitFlags, limited, pageOf, type LimitFlags } from './limit-flags.js';
import { newSession, type SessionFlags } from './new-session.js';

const COLUMNS: readonly Column<SessionRecord>[] = [
  { title: 'NAME', of: ({ name }) => name },
  { title: 'STATUS', of: stateOf },
  { title: 'CHECKED', of: ({ checked_at: at }) => at },
  { title: 'EXPIRES', of: ({ expires_at: at }) => at },
  { title: 'ORIGINS', of: ({ origins }) => origins.join(' ') },
];

interface WaitFlag {
  readonly wait?: boolean;
}

/** `capture sessions …`. */
export function registerSessions(program: Command, context: CliContext): void {
  const sessions = addGroup(program, 'sessions', 'log in once for many captures, which get --session <name>');
  registerCreate(sessions, context);
  addLimitFlags(addCommand(sessions, 'list', 'sessions, newest first')).action((flags: LimitFlags) =>
    printList(
      context,
      limited(context.client().sessions.list({ limit: pageOf(flags) }, { signal: context.signal }), flags),
      COLUMNS,
    ),
  );
  addCommand(sessions, 'get <session>', 'a session by its name or id').action(async (name: string) =>
    print(context, await context.client().sessions.get(name, { signal: context.signal })),
  );
  addCommand(sessions, 'login <session>', 'log in again, also after failures')
    .option('--wait', 'wait until the log-in has ended; fails if it failed')
    .action(async (name: string, { wait }: WaitFlag) =>
      finish(context, await context.client().sessions.logIn(name, { signal: context.signal }), wait),
    );
  addCommand(sessions, 'picture <session>', 'write the picture of what the last log-in saw')
    .option('-o, --output <path>', 'file, folder, or - for standard output')
    .action(async (name: string, { output }: { output?: string }) => {
      const destination = await destinationOf(output);
      const file = await context.client().sessions.picture(name, { signal: context.signal });
      const delivered = await deliver(context, destination, file);
      if (delivered.path !== undefined) await write(context, `${savedText(context, delivered)}\n`);
    });
  addCommand(sessions, 'delete <sessions...>', 'delete sessions with their states and secrets').action(
    async (names: string[]) => {
      const { sessions: api } = context.client();
      for (const name of names) {
        await api.delete(name, { signal: context.signal });
        await printRecord(context, { deleted: name }, () => `deleted ${name}`);
      }
    },
  );
}

function registerCreate(sessions: Command, context: CliContext): void {
  addCommand(sessions, 'create <name>', 'make a session of a state or of a log-in')
    .requiredOption(
      '--origin <origin>',
      'origin that the session is for, such as https://shop.example; may be repeated',
      (text: string, previous: readonly string[] = []) => [...previous, text],
    )
    .option('--from-state <file>', "state of a browser, as Playwright's storageState writes it")
    .option('--record', 'open a window in which you log in, and save what you did and its state')
    .option('--login <file>', 'steps of the log-in as JSON, as --actions or --recording has them')
    .option('--login-url <url>', 'page to log in at')
    .option('--secrets <file>', 'JSON with the passwords of the steps by name; - is standard input')
    .option(
      '--secret-env <name=VARIABLE>',
      'a password of the steps, from an environment variable; may be repeated',
      (text: string, previous: readonly string[] = []) => [...previous, text],
    )
    .option('--check-url <url>', 'page that only those see who are logged in')
    .option('--check-selector <selector>', 'element that this page shows then')
    .option('--keep-alive-s <s>', 'seconds after which the check is made again', wholeNumber)
    .option('--expires-in-s <s>', 'seconds in which the session can be used', wholeNumber)
    .option('--wait', 'wait until the log-in has ended; fails if it failed')
    .action(async (name: string, flags: SessionFlags & WaitFlag) => {
      const request = await newSession(context, name, flags);
      const session = await context.client().sessions.create(request, { signal: context.signal });
      await finish(context, session, flags.wait);
    });
}

/** Prints the session, with `--wait` after its log-in. */
async function finish(context: CliContext, session: SessionRecord, wait = false): Promise<void> {
  if (!wait) return print(context, session);
  const ended = await withProgress(context, `session ${session.name}`, () =>
    context.client().sessions.wait(session.id, {}, { signal: context.signal }),
  );
  await print(context, ended);
  if (ended.status === 'active') return;
  if (ended.error) throw CaptureError.ofCapture(ended.error, ended.capture_id ?? '');
  throw new CliError(`The session ${ended.name} is ${ended.status}.`, { exitCode: EXIT.failed });
}

const print = (context: CliContext, session: SessionRecord): Promise<void> =>
  printRecord(context, session, () => sessionText(session));

function stateOf({ status, is_logging_in: isLoggingIn }: SessionRecord): string {
  return isLoggingIn ? `${status}, logging in` : status;
}

function sessionText(session: SessionRecord): string {
  const { check, error } = session;
  return factsOf([
    ['id', session.id],
    ['name', session.name],
    ['status', stateOf(session)],
    ['origins', session.origins.join(' ')],
    ['log-in', session.login_url],
    ['check', check && `${check.selector} at ${check.url}`],
    ['logged in', session.logged_in_at],
    ['checked', session.checked_at],
    ['expires', session.expires_at],
    ['failures', session.failures],
    ['error', error && `${error.code}: ${error.detail}`],
  ]);
}
