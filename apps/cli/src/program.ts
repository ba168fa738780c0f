import { VERSION } from '@capture-service/client';
import { Command } from 'commander';
import { LISTS } from './batch/list-capture.js';
import type { CliContext } from './cli-context.js';
import { registerBatches } from './commands/batches.js';
import { registerCapture } from './commands/capture.js';
import { registerCaptures } from './commands/captures.js';
import { registerCompletion } from './commands/completion.js';
import { registerDevices } from './commands/devices.js';
import { registerJobs } from './commands/jobs.js';
import { registerKeys } from './commands/keys.js';
import { registerLinks } from './commands/links.js';
import { registerLogin } from './commands/login.js';
import { registerMcp } from './commands/mcp.js';
import { registerOptions } from './commands/options.js';
import { registerService } from './commands/service.js';
import { registerStats } from './commands/stats.js';
import { registerUsage } from './commands/usage.js';
import { registerWebhooks } from './commands/webhooks.js';
import { useGlobalOptions } from './global-options.js';
import { HELP_SETTINGS } from './help.js';

const HELP_WIDTH = 100;

const COMMANDS = [
  registerOptions,
  registerJobs,
  registerBatches,
  registerCaptures,
  registerStats,
  registerUsage,
  registerDevices,
  registerLinks,
  registerWebhooks,
  registerLogin,
  registerService,
  registerMcp,
  registerKeys,
  registerCompletion,
];

const EXAMPLES = `
Examples:
  capture https://example.com                                   writes example.com.png
  capture https://example.com -o page.pdf                       the extension chooses the format
  capture https://example.com --full-page --clean -o all.webp
  capture https://example.com --format markdown -o - | less
  capture page.html --viewport-width 600 -o card.png

Exit codes: 0 done, 1 capture failed, 2 wrong usage, 3 not allowed, 4 service not available`;

/** The whole command line. A command is one `registerX(program, context)`. */
export function createProgram(context: CliContext): Command {
  const program = new Command('capture')
    .description('Captures web pages as pictures, PDFs and text with a Capture Service.')
    .usage(
      '<url | page.html> [-o file] [options]\n       capture <urls.txt | rows.csv> -o <folder> [options]\n       capture <command> [options]',
    )
    .helpCommand(false)
    // Options after the name of a command are that command's.
    .enablePositionalOptions()
    .exitOverride()
    .configureHelp(HELP_SETTINGS)
    .configureOutput({
      writeOut: (text) => void context.stdout.write(text),
      writeErr: (text) => void context.stderr.write(text),
      getOutHelpWidth: () => (context.isTTY ? context.stdout.columns || 80 : HELP_WIDTH),
      // run.ts prints one line.
      outputError: () => {},
    })
    .hook('preAction', (_, command) => useGlobalOptions(context, command));
  registerCapture(program, context, LISTS);
  for (const register of COMMANDS) register(program, context);
  program
    .optionsGroup('Other:')
    .version(VERSION, '-V, --version', 'print the version of this command line')
    .helpOption('-h, --help', 'print the help; of a command: capture <command> --help')
    .addHelpText('after', EXAMPLES);
  return program;
}
