import type { CallToolResult, JsonSchemaType } from '@modelcontextprotocol/server';
import type { CaptureClient } from '@capture-service/client';

/** What a tool knows of the call that it answers. */
export interface ToolCall {
  /** Calls the API with the key of the caller. */
  readonly client: CaptureClient;
  /** Aborts when the caller cancels the call or disconnects; what the tool started then ends, too. */
  readonly signal: AbortSignal;
  /** Aborts when the service shuts down; what the tool started then goes on. */
  readonly closing: AbortSignal;
  /** Whether the key permits options that run code or carry secrets. */
  readonly mayUseUnsafe: boolean;
  /** The URL at which the caller reaches the API, without a slash at its end. */
  readonly baseUrl: string;
  /** Sends the caller how far the work is, if it asked for that. The same text is not sent twice in a row. */
  report(message: string, steps?: { readonly done: number; readonly total: number }): void;
}

export type ToolArguments = Readonly<Record<string, unknown>>;

/** A tool of the MCP server. Those that every key may use only read: they change nothing but the history of captures. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Whether it reaches pages, whose content nobody vouches for. */
  readonly isOpenWorld: boolean;
  /** Whether it is offered only to keys that permit options which run code or carry secrets. */
  readonly needsPermission?: true;
  readonly inputSchema: (mayUseUnsafe: boolean) => JsonSchemaType;
  /** Only for tools whose whole result is data: some clients show nothing but the structured part of a result. */
  readonly outputSchema?: JsonSchemaType;
  readonly run: (args: ToolArguments, call: ToolCall) => Promise<CallToolResult>;
}
