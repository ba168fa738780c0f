import { InvalidArgumentError, Option, type Command } from 'commander';

/** The flags that say how much of a list is wanted. */
export interface LimitFlags {
  readonly limit?: number;
  readonly all?: boolean;
}

const DEFAULT_LIMIT = 20;
/** The most that the service returns at once. */
const PAGE = 100;

export function limitFlags(): Option[] {
  return [
    new Option('--limit <n>', `at most so many (default: ${DEFAULT_LIMIT})`).argParser(countOf),
    new Option('--all', 'all of them').conflicts('limit'),
  ];
}

export function addLimitFlags(command: Command): Command {
  for (const option of limitFlags()) command.addOption(option);
  return command;
}

/** How many records one request asks for. */
export function pageOf(flags: LimitFlags): number {
  return Math.min(PAGE, wantedOf(flags));
}

/** The records that are wanted; no more are requested. */
export async function* limited<T>(records: AsyncIterable<T>, flags: LimitFlags): AsyncGenerator<T> {
  let left = wantedOf(flags);
  for await (const record of records) {
    yield record;
    if (--left <= 0) return;
  }
}

function wantedOf({ limit = DEFAULT_LIMIT, all }: LimitFlags): number {
  return all ? Infinity : limit;
}

function countOf(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('It takes a whole number from 1.');
  return Number(text);
}
