import { VERSION } from '@capture-service/client';
import { Command, Help, type HelpConfiguration, type Option } from 'commander';
import { registerBatches } from './commands/batches.js';
import { registerCapture } from './commands/capture.js';
import { registerCaptures } from './commands/captures.js';
import { registerCompletion } from './commands/completion.js';
import { registerCrawls } from './commands/crawls.js';
import { registerDevices } from './commands/devices.js';
import { registerJobs } from './commands/jobs.js';
import { registerKeys } from './commands/keys.js';
import { registerLinks } from './commands/links.js';
import { registerLogin } from './commands/login.js';
import { registerMcp } from './commands/mcp.js';
import { registerMonitors } from './commands/monitors.js';
import { registerOptions } from './commands/options.js';
import { registerService } from './commands/service.js';
import { registerSessions } from './commands/sessions.js';
import { registerStats } from './commands/stats.js';
import { registerUsage } from './commands/usage.js';
import { registerWebhooks } from './commands/webhooks.js';
import type { CliContext } from './context/cli-context.js';
import { EVERY_COMMAND, useGlobalOptions } from './context/global-options.js';
import { FAMILY_HEADINGS } from './options/option-help.js';

const HELP_WIDTH = 100;

const COMMANDS = [
  registerOptions,
  registerJobs,
  registerBatches,
  registerCrawls,
  registerCaptures,
  registerStats,
  registerUsage,
  registerDevices,
  registerSessions,
  registerMonitors,
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
  registerCapture(program, context);
  for (const register of COMMANDS) register(program, context);
  program
    .optionsGroup('Other:')
    .version(VERSION, '-V, --version', 'print the version of this command line')
    .helpOption('-h, --help', 'print the help; of a command: capture <command> --help')
    .addHelpText('after', EXAMPLES);
  return program;
}

/** Options that `capture options` shows are no part of the help of a command, but are known, as for suggestions. */
const isShown = (option: Option): boolean => !FAMILY_HEADINGS.has(option.helpGroupHeading ?? '');

/** How the help of every command looks. */
const HELP_SETTINGS: HelpConfiguration = {
  groupItems<T>(unsorted: T[], visible: T[], groupOf: (item: T) => string): Map<string, T[]> {
    const groups = Help.prototype.groupItems.call(
      this,
      unsorted as never,
      visible as never,
      groupOf as never,
    );
    for (const heading of FAMILY_HEADINGS) groups.delete(heading);
    // What a command has of its own comes first.
    const last = groups.get(EVERY_COMMAND);
    groups.delete(EVERY_COMMAND);
    if (last) groups.set(EVERY_COMMAND, last);
    return groups as unknown as Map<string, T[]>;
  },
  subcommandTerm: (command) =>
    [
      command.name(),
      ...command.registeredArguments.map((argument) =>
        argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
      ),
    ].join(' '),
  /** `--header <name: value>` is enough for a reader; `--headers` is known, too. */
  optionTerm: ({ flags }) => flags.replace(/^(--\w+), \1s\b/, '$1'),
  /** The texts of the catalogue state choices and defaults. */
  optionDescription: ({ description }) => description,
  longestOptionTermLength(command, helper): number {
    const shown = helper.visibleOptions(command).filter(isShown);
    return Math.max(0, ...shown.map((option) => helper.displayWidth(helper.optionTerm(option))));
  },
};
