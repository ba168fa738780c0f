import type { CaptureOptions, MonitorRequest } from '@capture-service/client';
import { InvalidArgumentError } from 'commander';
import { CliError } from '../context/cli-error.js';
import type { CliContext } from '../context/cli-context.js';

/** The flags of `capture monitors add`. */
export interface MonitorFlags {
  readonly every?: number;
  readonly cron?: string;
  readonly cronTimezone?: string;
  readonly name?: string;
  readonly minRatio?: number;
  readonly confirm?: number;
  readonly ignore?: readonly string[];
  readonly webhookUrl?: string;
  readonly notify?: readonly string[];
  readonly email?: readonly string[];
}

const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;

/** The seconds of a period such as `90s`, `15m`, `1h` or `1d`. */
export function periodOf(text: string): number {
  const [, count, unit = 's'] = /^([1-9]\d{0,8})([smhd]?)$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('It takes a period such as 15m, 1h or 1d.');
  return Number(count) * SECONDS[unit as keyof typeof SECONDS];
}

/**
 * The monitor that the flags describe. The service checks the values.
 *
 * @throws CliError without a schedule, and for a variable that is not set
 */
export function newMonitor(
  context: CliContext,
  capture: CaptureOptions,
  flags: MonitorFlags,
): MonitorRequest {
  const { name, minRatio, confirm, ignore, webhookUrl } = flags;
  const alert = {
    ...(minRatio !== undefined && { min_ratio: minRatio }),
    ...(confirm !== undefined && { confirm }),
    ...(ignore !== undefined && { ignore_selectors: [...ignore] }),
  };
  const notify = receiversOf(context, flags);
  return {
    capture,
    schedule: scheduleOf(flags),
    ...(name !== undefined && { name }),
    ...(Object.keys(alert).length > 0 && { alert }),
    ...(webhookUrl !== undefined && { webhook_url: webhookUrl }),
    ...(notify.length > 0 && { notify }),
  };
}

function scheduleOf({ every, cron, cronTimezone }: MonitorFlags): MonitorRequest['schedule'] {
  if ((every === undefined) === (cron === undefined)) {
    throw new CliError('When is the page checked? Add --every <period>, such as 1h, or --cron <expression>.');
  }
  return {
    ...(every !== undefined && { every_s: every }),
    ...(cron !== undefined && { cron }),
    ...(cronTimezone !== undefined && { timezone: cronTimezone }),
  };
}

type Receivers = NonNullable<MonitorRequest['notify']>;

/** Addresses of chats come from the environment: others on the machine see the arguments of a command. */
function receiversOf(context: CliContext, { notify = [], email = [] }: MonitorFlags): Receivers {
  const chats = notify.map((text) => {
    const [, type, variable] = /^(slack|discord|teams)=(\w+)$/.exec(text) ?? [];
    if (type === undefined || variable === undefined) {
      throw new CliError('--notify takes slack, discord or teams and a variable: slack=SLACK_URL.');
    }
    const url = context.env[variable];
    if (!url) throw new CliError(`The environment variable ${variable} is not set.`);
    return { type: type as 'slack' | 'discord' | 'teams', url };
  });
  return [...chats, ...email.map((to) => ({ type: 'email' as const, to }))];
}
