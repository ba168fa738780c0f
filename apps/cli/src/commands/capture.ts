import type { Command } from 'commander';
import type { CliContext } from '../cli-context.js';
import { captureOne } from '../capture-one.js';
import { CliError } from '../cli-error.js';
import { addGlobalOptions } from '../global-options.js';
import { addCaptureOptions } from '../options/option-flags.js';
import { givenOptions, type GivenOptions } from '../options/given-options.js';
import { targetOf } from '../target.js';

/** Captures a list of pages. */
export interface ListCapture {
  /** Adds the flags that only lists have. */
  addOptions(command: Command): void;
  run(context: CliContext, request: ListRequest): Promise<void>;
}

/** A list to capture. */
export interface ListRequest {
  /** A file, or `-` for standard input. */
  readonly source: string;
  /** `-o`: the folder of the files. */
  readonly output: string | undefined;
  /** Options of every page, by the names of the API. */
  readonly options: GivenOptions;
  /** The command, for the flags that only lists have. */
  readonly command: Command;
}

interface OwnFlags {
  readonly output?: string;
  readonly show?: boolean;
}

/** `capture <url>`, `capture page.html`, `capture pages.csv -o folder`. */
export function registerCapture(program: Command, context: CliContext, lists?: ListCapture): void {
  program
    .argument(
      '[page]',
      'URL, a file with HTML (.html), or a list of pages (.txt, .csv, .json, - for standard input)',
    )
    .optionsGroup('Output:')
    .option(
      '-o, --output <path>',
      'file, whose extension chooses the format; a folder; or - for standard output',
    )
    .option('--show', 'show the picture in the terminal (kitty, Ghostty, iTerm2, WezTerm)');
  addCaptureOptions(program);
  lists?.addOptions(program);
  addGlobalOptions(program);
  program.action(async (page: string | undefined, flags: OwnFlags) => {
    const options = await givenOptions(context, program);
    if (page === undefined && Object.keys(program.opts()).length === 0) {
      program.help({ error: true });
    }
    const target = page === undefined ? undefined : targetOf(page, namesOf(program));
    if (target?.kind === 'list') {
      if (flags.show) throw new CliError('--show is for one page, not for a list.');
      if (!lists) throw new CliError('Lists of pages are not captured yet.');
      await lists.run(context, { source: target.file, output: flags.output, options, command: program });
      return;
    }
    await captureOne(context, { target, options, output: flags.output, show: flags.show === true });
  });
}

const namesOf = (program: Command): string[] => program.commands.map((command) => command.name());
