import type { Command } from 'commander';
import type { CliContext } from '../context/cli-context.js';
import { addCommand } from '../context/global-options.js';
import { McpBridge } from './mcp-bridge.js';

/** `capture mcp`. */
export function registerMcp(program: Command, context: CliContext): void {
  addCommand(
    program,
    'mcp',
    'serve the tools of the service to a language model (MCP over standard input and output)',
  )
    .addHelpText(
      'after',
      '\nClients of MCP start this command by themselves; docs/mcp.md shows their settings.',
    )
    .action(async () => {
      // Says what is missing before the client waits for answers.
      context.client();
      await new McpBridge(context).run();
    });
}
