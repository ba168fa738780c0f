import { parseKey, type ApiKeysService } from '@app/auth';
import { UsageError, type Output } from './command.js';

/** The options of `npm run keys -- set` that say what the tools of `POST /mcp` accept, for parseArgs. */
export const MCP_OPTIONS = {
  'mcp-unsafe': { type: 'boolean' },
  'no-mcp-unsafe': { type: 'boolean' },
} as const;
type McpOption = keyof typeof MCP_OPTIONS;
export const MCP_NAMES = Object.keys(MCP_OPTIONS) as McpOption[];

const EFFECT = {
  true: 'the tools of POST /mcp accept options that run code or carry secrets',
  false: 'the tools of POST /mcp refuse options that run code or carry secrets',
} as const;

/** Undefined if the options do not say it. */
export function readMcpUnsafe({
  'mcp-unsafe': yes,
  'no-mcp-unsafe': no,
}: Partial<Record<McpOption, boolean>>): boolean | undefined {
  if (yes && no) throw new UsageError('Give --mcp-unsafe or --no-mcp-unsafe, not both');
  return yes ?? (no ? false : undefined);
}

/** Changes one key; the whole key is accepted instead of its id. */
export async function setOfKey(keys: ApiKeysService, word: string, mcpUnsafe: boolean): Promise<Output> {
  const id = parseKey(word)?.id ?? word;
  const [changed] = await keys.setMcpUnsafe({ id }, mcpUnsafe);
  if (changed === undefined) {
    throw new UsageError(`There is no valid key ${id.slice(0, 24)}; npm run keys -- list shows all keys`);
  }
  return {
    text: `Key ${id}, effective within 5 seconds: ${EFFECT[`${mcpUnsafe}`]}.\n`,
    json: { id, mcp_unsafe: mcpUnsafe },
  };
}

/** The consequence for the keys of an account, for people. */
export function keysText(ids: readonly string[], mcpUnsafe: boolean): string {
  const keys = ids.length === 1 ? '1 valid key' : `${ids.length} valid keys`;
  const later = mcpUnsafe ? ' Keys created later need it again.' : '';
  return `For ${keys} of the account, ${EFFECT[`${mcpUnsafe}`]}.${later}`;
}
