import type { CallToolResult } from '@modelcontextprotocol/server';
import { visibleData } from '../visible-text.js';

/**
 * A result that is data: as the structured content that the schema of the tool describes, and the same as text for clients
 * that show only that.
 */
export function dataResult(raw: object): CallToolResult {
  const data = visibleData(raw);
  return {
    structuredContent: data,
    content: [{ type: 'text', text: JSON.stringify(data) }],
  };
}
