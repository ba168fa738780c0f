import {
  Client as McpClient,
  StreamableHTTPClientTransport,
  type CallToolResult,
  type Progress,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

/** The protocols that clients speak: that of today's clients, and the newest. */
export const ERAS = ['legacy', 'modern'] as const;
export type Era = (typeof ERAS)[number];

const NEGOTIATION = {
  legacy: { mode: 'legacy' },
  modern: { mode: { pin: '2026-07-28' } },
} as const;

interface McpSettings {
  readonly url: string;
  readonly key: string;
  readonly era?: Era;
}

/** What a tool returned, and what was reported meanwhile. */
export interface ToolOutcome extends CallToolResult {
  readonly progress: readonly Progress[];
  /** All texts of the result. */
  readonly text: string;
}

/** A client of the official library, with the tools of a service. */
export class ToolUser implements AsyncDisposable {
  private constructor(readonly client: McpClient) {}

  /** Connects by HTTP. */
  static async overHttp({ url, key, era = 'legacy' }: McpSettings): Promise<ToolUser> {
    const headers = { Authorization: `Bearer ${key}` };
    const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } });
    return ToolUser.connect(transport, era);
  }

  /** Starts the built command line and connects by its standard input and output. */
  static async overStdio({ url, key, era = 'legacy' }: McpSettings): Promise<ToolUser> {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: ['dist/apps/cli/src/main.js', 'mcp'],
      env: { CAPTURE_URL: url, CAPTURE_API_KEY: key, HOME: '/nonexistent' },
    });
    return ToolUser.connect(transport, era);
  }

  private static async connect(
    transport: StreamableHTTPClientTransport | StdioClientTransport,
    era: Era,
  ): Promise<ToolUser> {
    const versionNegotiation = NEGOTIATION[era];
    const client = new McpClient({ name: 'tests', version: '1.0.0' }, { versionNegotiation });
    await client.connect(transport);
    return new ToolUser(client);
  }

  async call(name: string, args: Record<string, unknown> = {}, signal?: AbortSignal): Promise<ToolOutcome> {
    const progress: Progress[] = [];
    const result = await this.client.callTool(
      { name, arguments: args },
      { onprogress: (each) => progress.push(each), timeout: 100_000, ...(signal && { signal }) },
    );
    const text = result.content.flatMap((each) => (each.type === 'text' ? each.text : [])).join('\n');
    return { ...result, progress, text };
  }

  close(): Promise<void> {
    return this.client.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
