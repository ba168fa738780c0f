import { OPTION_CATALOGUE } from '@capture-service/client';
import type { Command } from 'commander';
import { CliError } from '../context/cli-error.js';
import type { CliContext } from '../context/cli-context.js';
import { readInput } from '../files/input-file.js';
import { flagOf } from './flag-names.js';

/** Values of the options that were given, by the names of the API. */
export type GivenOptions = Readonly<Record<string, unknown>>;

/** The options of a capture that the command line has, from flags that `addCaptureOptions` added. */
export async function givenOptions(context: CliContext, command: Command): Promise<GivenOptions> {
  const values = command.opts<Record<string, unknown>>();
  const given: Record<string, unknown> = {};
  for (const { name } of OPTION_CATALOGUE) {
    const value = values[attributeOf(name)];
    const file = values[`${attributeOf(name)}File`] as string | undefined;
    if (value !== undefined && file !== undefined) {
      throw new CliError(`${flagOf(name)} and ${flagOf(name)}-file exclude each other.`);
    }
    const chosen = file === undefined ? value : (await readInput(context, file)).toString();
    if (chosen !== undefined) given[name] = chosen;
  }
  return given;
}

/** The name that commander gives to the value of a flag. */
const attributeOf = (name: string): string =>
  name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
