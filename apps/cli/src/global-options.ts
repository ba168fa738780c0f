import type { Command } from 'commander';
import type { CliContext, GlobalFlags } from './cli-context.js';

/** The heading of the options that every command has. */
const HEADING = 'Service:';

/** Adds the options that every command has. */
export function addGlobalOptions(command: Command): Command {
  return command
    .optionsGroup('Output:')
    .option('--json', 'print JSON, a list as one record per line; an error is printed as JSON, too')
    .optionsGroup(HEADING)
    .option('--server <url>', 'URL of the service (default: CAPTURE_URL, or as stored by `capture login`)')
    .option('--key <key>', 'API key; others on this machine may see it, unlike CAPTURE_API_KEY')
    .optionsGroup('Options:');
}

/** Tells the context the flags of the command that runs; those of the program apply where the command has none. */
export function useGlobalOptions(context: CliContext, command: Command): void {
  const flags: GlobalFlags = {};
  for (let at: Command | null = command; at !== null; at = at.parent) {
    const { json, server, key } = at.opts<GlobalFlags>();
    Object.assign(flags, { json: flags.json ?? json, server: flags.server ?? server, key: flags.key ?? key });
  }
  context.flags = flags;
}
