import { toNodeHandler, type NodeMcpRequestHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, type AuthInfo } from '@modelcontextprotocol/server';
import type { CaptureClient } from '@capture-service/client';
import { McpServerFactory, type MakeCall } from './mcp-server.factory.js';

/** What is known of a request before its JSON-RPC messages are read. */
export interface McpPeer {
  readonly client: CaptureClient;
  readonly keyId: string;
  readonly session: string | undefined;
  readonly mayUseUnsafe: boolean;
  readonly baseUrl: string;
}

/**
 * Makes the handler of requests to `/mcp`: each has a server of its own, which keeps nothing (protocol 2026-07-28, and the
 * earlier ones without sessions).
 */
export function createHandler(
  makeCallFor: (peer: McpPeer) => MakeCall,
  onerror: (error: Error) => void,
): NodeMcpRequestHandler {
  const servers = new McpServerFactory();
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const peer = peerOf(authInfo);
      return servers.create(peer.mayUseUnsafe, makeCallFor(peer));
    },
    {
      // A stream has signs of life, without which proxies cut a call that takes long.
      responseMode: 'sse',
      // The lists of tools and resources never change, so that there is nothing to subscribe to.
      maxSubscriptions: 0,
      onerror,
    },
  );
  return toNodeHandler(handler, { onerror });
}

function peerOf(authInfo: AuthInfo | undefined): McpPeer {
  const peer = authInfo?.extra?.peer;
  if (peer === undefined) throw new Error('A request to /mcp has a caller');
  return peer as McpPeer;
}
