import { VERSION } from '@capture-service/client';
import { Command } from 'commander';
import type { CliContext } from './cli-context.js';
import { registerCapture } from './commands/capture.js';
import { HELP_SETTINGS } from './help.js';

/** The whole command line. A command is one `registerX(program, context)`. */
export function createProgram(context: CliContext): Command {
  const program = new Command('capture')
    .description('Captures web pages as pictures, PDFs and text with a Capture Service.')
    .version(VERSION, '-V, --version', 'print the version of the command line')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    // Options after the name of a command are that command's.
    .enablePositionalOptions()
    .exitOverride()
    .configureHelp(HELP_SETTINGS)
    .configureOutput({
      writeOut: (text) => void context.stdout.write(text),
      writeErr: (text) => void context.stderr.write(text),
      getOutHelpWidth: () => (context.isTTY ? (context.stdout.columns ?? 80) : 100),
      // run.ts prints one line.
      outputError: () => {},
    });
  registerCapture(program, context);
  return program;
}
