import type { Command } from 'commander';
import { CliError } from '../context/cli-error.js';

/** `capture keys`. In a checkout, scripts/capture.mjs hands it over to `npm run keys`, before the command line starts. */
export function registerKeys(program: Command): void {
  program
    .command('keys', { hidden: false })
    .description('make, list and revoke keys (operators: `npm run keys` on the machine of the service)')
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => {
      throw new CliError(
        'Keys are managed by the operator, on the machine of the service: npm run keys -- create|list|revoke|set|signing.',
      );
    });
}
