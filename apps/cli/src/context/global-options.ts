import type { Command } from 'commander';
import { CliError } from './cli-error.js';
import type { CliContext } from './cli-context.js';
import type { GlobalFlags } from './connection.js';

/** The heading of the options that every command has. */
export const EVERY_COMMAND = 'Every command:';

/** Adds the options that every command has. */
export function addGlobalOptions(command: Command): Command {
  return command
    .optionsGroup(EVERY_COMMAND)
    .option('--json', 'print JSON: a record, or a list with one record per line')
    .option('--server <url>', 'URL of the service (default: CAPTURE_URL, or the log-in)')
    .option('--key <key>', 'API key (default: CAPTURE_API_KEY, or the log-in)')
    .optionsGroup('Options:');
}

/** Adds a command that only has commands below it. */
export function addGroup(parent: Command, name: string, description: string): Command {
  return parent.command(name).description(description).helpCommand(false);
}

/** Adds a command with these options. */
export function addCommand(parent: Command, usage: string, description: string): Command {
  return addGlobalOptions(parent.command(usage).description(description));
}

/**
 * Sets the flags of the context to those of the command that runs; those of the program apply where the command has none.
 *
 * @throws CliError when options of a capture stand before the name of another command, where they would have no effect
 */
export function useGlobalOptions(context: CliContext, command: Command): void {
  for (let parent = command.parent; parent !== null; parent = parent.parent) refuseOthers(parent, command);
  const flags: GlobalFlags = {};
  for (let at: Command | null = command; at !== null; at = at.parent) {
    const { json, server, key } = at.opts<GlobalFlags>();
    Object.assign(flags, { json: flags.json ?? json, server: flags.server ?? server, key: flags.key ?? key });
  }
  context.flags = flags;
}

const GLOBAL = new Set(['json', 'server', 'key']);

function refuseOthers(parent: Command, command: Command): void {
  const misplaced = parent.options.find((option) => {
    const name = option.attributeName();
    return !GLOBAL.has(name) && parent.getOptionValueSource(name) === 'cli';
  });
  if (misplaced)
    throw new CliError(`Write ${misplaced.long} after \`${command.name()}\`, if it is an option of it.`);
}
