import { InvalidArgumentError, Option, type Command } from 'commander';
import { CliError } from '../context/cli-error.js';
import { LIST_FORMATS, type ListFormat } from './source-rows.js';

const HEADING = 'Lists of pages:';
const MAX_PARALLEL = 32;
export const DEFAULT_PARALLEL = 6;

/** The flags that only lists have. */
export interface ListFlags {
  readonly from?: ListFormat;
  readonly skipInvalid?: true;
  readonly retryFailed?: true;
  readonly restart?: true;
  readonly detach?: true;
  readonly parallel: number;
}

const FLAGS: readonly Option[] = [
  new Option('--from <format>', 'format of the list, if it cannot be recognized').choices(LIST_FORMATS),
  new Option('--skip-invalid', 'capture the other rows when some are invalid'),
  new Option('--retry-failed', 'capture the failed rows of a finished list again'),
  new Option('--restart', 'capture all rows again, although the folder has a list'),
  new Option('--detach', 'submit the list and return; the same command without --detach fetches the files'),
  parallelFlag(),
];

/** The flag that says how many rows download their files at once. */
export function parallelFlag(): Option {
  return new Option(
    '--parallel <n>',
    `files that are downloaded at once, 1 to ${MAX_PARALLEL} (default: ${DEFAULT_PARALLEL})`,
  ).argParser(readParallel);
}

export function addListFlags(command: Command): void {
  for (const flag of FLAGS) command.addOption(flag.helpGroup(HEADING));
}

export function listFlagsOf(command: Command): ListFlags {
  const flags = command.opts<Partial<ListFlags>>();
  return { ...flags, parallel: flags.parallel ?? DEFAULT_PARALLEL };
}

/** @throws CliError that names a flag of lists that was given for a single page */
export function refuseListFlags(command: Command): void {
  const given = FLAGS.find((flag) => command.opts()[flag.attributeName()] !== undefined);
  if (given)
    throw new CliError(`${given.long} is for lists of pages, such as \`capture urls.txt -o folder\`.`);
}

function readParallel(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= MAX_PARALLEL) return value;
  throw new InvalidArgumentError(`It must be a whole number between 1 and ${MAX_PARALLEL}.`);
}
