import type { CallToolResult } from '@modelcontextprotocol/server';

/**
 * A result that is data: as the structured content that the schema of the tool describes, and the same as text for clients
 * that show only that.
 */
export function dataResult(data: object): CallToolResult {
  return {
    structuredContent: data,
    content: [{ type: 'text', text: JSON.stringify(data) }],
  };
}
