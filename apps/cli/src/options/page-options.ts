import type { Command } from 'commander';
import type { CliContext } from '../context/cli-context.js';
import { CliError } from '../context/cli-error.js';
import { givenOptions, type GivenOptions } from './given-options.js';
import { readInput } from '../files/input-file.js';
import { targetOf, type Target } from './target.js';

/** The options with the page of the argument, which is a URL or a file with HTML. */
export async function withTarget(
  context: CliContext,
  options: GivenOptions,
  target: Target | undefined,
): Promise<GivenOptions> {
  const stated = ['url', 'html'].filter((name) => options[name] !== undefined);
  if (target && stated[0]) {
    throw new CliError(`The page is given twice: as an argument and by --${stated[0]}.`);
  }
  switch (target?.kind) {
    case 'url':
      return { ...options, url: target.url };
    case 'page':
      return { ...options, html: (await readInput(context, target.file)).toString() };
    case 'list':
      throw new CliError(
        `${target.file} is a list of pages: \`capture ${target.file} -o folder/\` captures them all.`,
      );
    case undefined:
      if (stated.length > 0) return options;
      throw new CliError('Which page? Name a URL, such as https://example.com, or a file with HTML.');
    default:
      return target satisfies never;
  }
}

/** The options of a command that captures one page. */
export async function pageOptions(
  context: CliContext,
  command: Command,
  page: string | undefined,
): Promise<GivenOptions> {
  const options = await givenOptions(context, command);
  return withTarget(context, options, page === undefined ? undefined : targetOf(page, []));
}
