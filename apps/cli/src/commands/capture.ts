import type { Command } from 'commander';
import type { CliContext } from '../cli-context.js';
import { captureOne } from '../capture-one.js';
import { CliError } from '../cli-error.js';
import { addGlobalOptions, useGlobalOptions } from '../global-options.js';
import { addCaptureOptions } from '../options/option-flags.js';
import { givenOptions, type GivenOptions } from '../options/given-options.js';
import { targetOf, type Target } from '../target.js';

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
  addGlobalOptions(program);
  addCaptureOptions(program);
  lists?.addOptions(program);
  program.action(async (page: string | undefined, flags: OwnFlags) => {
    useGlobalOptions(context, program);
    const options = givenOptions(program);
    const target = page === undefined ? undefined : targetOf(page, namesOf(program));
    if (target?.kind === 'list') {
      if (flags.show) throw new CliError('--show is for one page, not for a list.');
      if (!lists) throw new CliError('Lists of pages are not captured yet.');
      await lists.run(context, { source: target.file, output: flags.output, options, command: program });
      return;
    }
    requirePage(program, { target, options });
    await captureOne(context, { target, options, output: flags.output, show: flags.show === true });
  });
}

const namesOf = (program: Command): string[] => program.commands.map((command) => command.name());

/** Exactly one page is needed: as the argument, or by an option. */
function requirePage(
  program: Command,
  { target, options }: { target: Target | undefined; options: GivenOptions },
) {
  const stated = ['url', 'html'].filter((name) => options[name] !== undefined);
  if (target && stated.length > 0)
    throw new CliError(`The page is given twice: as an argument and by --${stated[0]}.`);
  if (target || stated.length > 0) return;
  if (process.argv.length <= 2) program.outputHelp({ error: true });
  throw new CliError(
    'Which page? Run `capture <url>`, for example `capture https://example.com -o example.png`.',
  );
}
