import type { Command } from 'commander';
import type { CliContext } from '../context/cli-context.js';
import { captureOne } from '../capture/capture-one.js';
import { CliError } from '../context/cli-error.js';
import { captureList } from '../batch/list-capture.js';
import { addListFlags, refuseListFlags } from '../batch/list-flags.js';
import { addGlobalOptions } from '../context/global-options.js';
import { addCaptureOptions } from '../options/option-flags.js';
import { givenOptions } from '../options/given-options.js';
import { targetOf, type Target } from '../options/target.js';

interface OwnFlags {
  readonly output?: string;
  readonly show?: boolean;
}

/** `capture <url>`, `capture page.html`, `capture pages.csv -o folder`. */
export function registerCapture(program: Command, context: CliContext): void {
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
  addListFlags(program);
  addGlobalOptions(program);
  program.action(async (pages: readonly string[], flags: OwnFlags) => {
    const options = await givenOptions(context, program);
    if (pages.length === 0 && Object.keys(program.opts()).length === 0) program.help({ error: true });
    const [target, ...others] = pages.map((page) => targetOf(page, namesOf(program)));
    if (target?.kind === 'list') {
      const sources = [target, ...others].map(sourceOf);
      if (flags.show) throw new CliError('--show is for one page, not for a list.');
      await captureList(context, { sources, output: flags.output, options, command: program });
      return;
    }
    if (others.length > 0) throw new CliError(ONE_PAGE);
    refuseListFlags(program);
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
