import type { Command } from 'commander';
import type { CliContext } from '../cli-context.js';
import { captureOne } from '../capture-one.js';
import { CliError } from '../cli-error.js';
import { addGlobalOptions } from '../global-options.js';
import { addCaptureOptions } from '../options/option-flags.js';
import { givenOptions, type GivenOptions } from '../options/given-options.js';
import { targetOf, type Target } from '../target.js';

/** Captures a list of pages. */
export interface ListCapture {
  /** Adds the flags that only lists have. */
  addOptions(command: Command): void;
  /** @throws CliError that names one of these flags if it was given */
  refuseOptions(command: Command): void;
  run(context: CliContext, request: ListRequest): Promise<void>;
}

/** A list to capture. */
export interface ListRequest {
  /** Files, or `-` for standard input. */
  readonly sources: readonly string[];
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
export function registerCapture(program: Command, context: CliContext, lists: ListCapture): void {
  program
    .argument(
      '[page...]',
      'URL, a file with HTML (.html), or lists of pages (.txt, .csv, .json, - for standard input)',
    )
    .optionsGroup('Output:')
    .option(
      '-o, --output <path>',
      'file, whose extension chooses the format; a folder; or - for standard output',
    )
    .option('--show', 'show the picture in the terminal (kitty, Ghostty, iTerm2, WezTerm)');
  addCaptureOptions(program);
  lists.addOptions(program);
  addGlobalOptions(program);
  program.action(async (pages: readonly string[], flags: OwnFlags) => {
    const options = await givenOptions(context, program);
    if (pages.length === 0 && Object.keys(program.opts()).length === 0) program.help({ error: true });
    const [target, ...others] = pages.map((page) => targetOf(page, namesOf(program)));
    if (target?.kind === 'list') {
      const sources = [target, ...others].map(sourceOf);
      if (flags.show) throw new CliError('--show is for one page, not for a list.');
      await lists.run(context, { sources, output: flags.output, options, command: program });
      return;
    }
    if (others.length > 0) throw new CliError(ONE_PAGE);
    lists.refuseOptions(program);
    if (options.response === 'json') context.printJson();
    await captureOne(context, { target, options, output: flags.output, show: flags.show === true });
  });
}

const ONE_PAGE =
  'One page is captured at a time. Write several URLs into a file, one in each line, and run `capture urls.txt -o folder`.';

function sourceOf(target: Target): string {
  if (target.kind !== 'list') throw new CliError(ONE_PAGE);
  return target.file;
}

const namesOf = (program: Command): string[] => program.commands.map((command) => command.name());
