import { VERSION } from '@capture-service/client';
import type { Command } from 'commander';
import { CliError } from '../context/cli-error.js';
import type { CliContext } from '../context/cli-context.js';
import { EXIT } from '../context/exit-codes.js';
import { addCommand } from '../context/global-options.js';
import { factsOf, printRecord } from '../terminal/output.js';
import { warnOfVersion } from '../terminal/version-check.js';

/** `capture health` and `capture version`, which need no key. */
export function registerService(program: Command, context: CliContext): void {
  addCommand(program, 'health', 'whether the service and what it depends on work').action(async () => {
    const health = await context.client({ needsKey: false }).health({ signal: context.signal });
    const checks = Object.entries(health.checks).map(([name, check]) => [name, checkText(check)] as const);
    await printRecord(context, health, () => factsOf([['service', health.status], ...checks]));
    if (health.status === 'ok') return;
    throw new CliError(`The service is ${health.status}.`, {
      exitCode: EXIT.unavailable,
      code: 'unavailable',
    });
  });
  addCommand(program, 'version', 'versions of this command line and of the service').action(async () => {
    const service = await warnOfVersion(context, context.client({ needsKey: false }));
    await printRecord(context, { command_line: VERSION, service }, () =>
      factsOf([
        ['command line', VERSION],
        ['service', service.version],
        ['API', service.api_version],
        ['browser', service.browser],
      ]),
    );
  });
}

function checkText(check: object): string {
  return Object.entries(check)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => checkPart(name, String(value)))
    .join(', ');
}

function checkPart(name: string, value: string): string {
  if (name === 'status') return value;
  return name.endsWith('_ms') ? `${value} ms` : `${name} ${value}`;
}
