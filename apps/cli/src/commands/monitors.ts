import type { CaptureOptions, MonitorCheck, MonitorRecord } from '@capture-service/client';
import { Option, type Command } from 'commander';
import type { CliContext } from '../context/cli-context.js';
import { addCommand, addGroup } from '../context/global-options.js';
import { addCaptureOptions } from '../options/option-flags.js';
import { wholeNumber } from '../options/option-values.js';
import { pageOptions } from '../options/page-options.js';
import { factsOf, printList, printRecord, type Column } from '../terminal/output.js';
import { addLimitFlags, limited, pageOf, type LimitFlags } from './limit-flags.js';
import { newMonitor, periodOf, type MonitorFlags } from './new-monitor.js';

const COLUMNS: readonly Column<MonitorRecord>[] = [
  { title: 'ID', of: ({ id }) => id },
  { title: 'NAME', of: ({ name }) => name },
  { title: 'STATE', of: stateOf },
  { title: 'SCHEDULE', of: scheduleOf },
  { title: 'NEXT', of: ({ next_run_at: at }) => at },
  { title: 'LAST', of: ({ last_check: check }) => check && outcomeOf(check) },
];

const CHECK_COLUMNS: readonly Column<MonitorCheck>[] = [
  { title: 'DUE', of: ({ due_at: at }) => at },
  { title: 'PAGE', of: ({ url, page }) => url ?? String(page) },
  { title: 'OUTCOME', of: outcomeOf },
  { title: 'CHANGE', of: changeOf },
];

interface CheckFlags extends LimitFlags {
  readonly outcome?: MonitorCheck['outcome'];
}

/** `capture monitors …`. */
export function registerMonitors(program: Command, context: CliContext): void {
  const monitors = addGroup(program, 'monitors', 'watch pages on a schedule, and hear when they change');
  registerAdd(monitors, context);
  addLimitFlags(addCommand(monitors, 'list', 'monitors, newest first')).action((flags: LimitFlags) =>
    printList(
      context,
      limited(context.client().monitors.list({ limit: pageOf(flags) }, { signal: context.signal }), flags),
      COLUMNS,
    ),
  );
  addCommand(monitors, 'show <id>', 'a monitor and its latest check').action(async (id: string) =>
    print(context, await context.client().monitors.get(id, { signal: context.signal })),
  );
  registerChecks(monitors, context);
  const actions = {
    run: 'check the pages now, also while it is paused',
    pause: 'stop checking',
    resume: 'go on with the next instant',
  } as const;
  for (const action of ['run', 'pause', 'resume'] as const) {
    addCommand(monitors, `${action} <id>`, actions[action]).action(async (id: string) =>
      print(context, await context.client().monitors[action](id, { signal: context.signal })),
    );
  }
  addCommand(monitors, 'rm <ids...>', 'delete monitors with their checks').action(async (ids: string[]) => {
    for (const id of ids) {
      await context.client().monitors.delete(id, { signal: context.signal });
      await printRecord(context, { deleted: id }, () => `deleted ${id}`);
    }
  });
}

function registerChecks(monitors: Command, context: CliContext): void {
  const checks = addCommand(monitors, 'checks <id>', 'the checks of a monitor, latest first');
  checks.addOption(new Option('--outcome <outcome>', 'only checks with this outcome'));
  addLimitFlags(checks).action((id: string, flags: CheckFlags) => {
    const { outcome } = flags;
    const filters = { limit: pageOf(flags), ...(outcome && { outcome }) };
    const found = context.client().monitors.checks(id, filters, { signal: context.signal });
    return printList(context, limited(found, flags), CHECK_COLUMNS);
  });
}

const several = (text: string, previous: readonly string[] = []): string[] => [...previous, text];

function registerAdd(monitors: Command, context: CliContext): void {
  const add = addCommand(monitors, 'add [page]', 'watch a page; takes all options of a capture')
    .option('--every <period>', 'time between two checks, such as 15m, 1h or 1d', periodOf)
    .option('--cron <expression>', 'instead of --every: minute, hour, day, month and day of week')
    .option('--cron-timezone <zone>', 'time zone of --cron (default: UTC)')
    .option('--name <name>', 'name of the monitor')
    .option('--min-ratio <part>', 'smaller changes are no change, such as 0.002', Number)
    .option('--confirm <n>', 'captures that must show a change, 1 to 3', wholeNumber)
    .option('--ignore <selector>', 'element that does not count; may be repeated', several)
    .option('--webhook-url <url>', 'URL that receives the events')
    .option('--notify <type=VARIABLE>', 'slack, discord or teams, whose address is in a variable', several)
    .option('--email <address>', 'mail address that receives the events; may be repeated', several);
  addCaptureOptions(add).action(async (page: string | undefined, flags: MonitorFlags) => {
    const capture = (await pageOptions(context, add, page)) as unknown as CaptureOptions;
    const request = newMonitor(context, capture, flags);
    await print(context, await context.client().monitors.create(request, { signal: context.signal }));
  });
}

const print = (context: CliContext, monitor: MonitorRecord): Promise<void> =>
  printRecord(context, monitor, () => monitorText(monitor));

function stateOf({ state, pause_reason: reason }: MonitorRecord): string {
  return reason === null ? state : `${state}: ${reason}`;
}

function scheduleOf({ schedule }: MonitorRecord): string {
  return 'every_s' in schedule ? `every ${schedule.every_s} s` : `${schedule.cron} (${schedule.timezone})`;
}

function outcomeOf({ outcome, reason }: MonitorCheck): string {
  return reason === null ? (outcome ?? 'in progress') : `${outcome ?? ''}: ${reason}`;
}

function changeOf({ change, error, outcome }: MonitorCheck): string | null {
  if (error) return `${error.code}: ${error.detail}`;
  if (outcome !== 'changed' || !change) return null;
  return change.summary ?? `${((change.ratio ?? 0) * 100).toPrecision(2)} %`;
}

function monitorText(monitor: MonitorRecord): string {
  const { capture, batch, last_check: check } = monitor;
  const pages = capture ? [capture] : (batch?.items ?? []);
  return factsOf([
    ['id', monitor.id],
    ['name', monitor.name],
    ['state', stateOf(monitor)],
    ['schedule', scheduleOf(monitor)],
    ['next check', monitor.next_run_at],
    ['pages', pages.map(({ url }) => (typeof url === 'string' ? url : 'HTML')).join(' ')],
    ['webhook', monitor.webhook_url],
    ['receivers', monitor.notify.map((one) => `${one.type} ${'to' in one ? one.to : one.url}`).join(' ')],
    ['last check', check && `${check.due_at} ${outcomeOf(check)}`],
    ['change', check && changeOf(check)],
  ]);
}
