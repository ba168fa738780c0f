import type { CaptureClient } from '@capture-service/client';

/** What is known of a request before its JSON-RPC messages are read. */
export interface McpPeer {
  readonly client: CaptureClient;
  readonly keyId: string;
  readonly session: string | undefined;
  readonly mayUseUnsafe: boolean;
  readonly baseUrl: string;
}
