import { Injectable, Logger } from '@nestjs/common';
import { toNodeHandler, type NodeMcpRequestHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, type AuthInfo, type ServerContext } from '@modelcontextprotocol/server';
import type { CaptureClient } from '@capture-service/client';
import { Env } from '@app/config';
import { newId } from '@app/kernel';
import type { Request, Response } from 'express';
import { presentedKey } from '../http/auth/api-key.guard.js';
import { callerOf } from '../http/auth/caller.js';
import { baseUrlOf } from '../http/base-url.js';
import { DrainService } from '../http/drain.service.js';
import { CallsInProgress } from './calls-in-progress.js';
import { LoopbackClientFactory } from './loopback-client.factory.js';
import { McpServerFactory } from './mcp-server.factory.js';
import type { ToolCall } from './tool.js';

/** Names a client, so that it can cancel its own calls only. */
const SESSION_HEADER = 'Mcp-Session-Id';

/** What is known of a request before its JSON-RPC messages are read. */
interface Peer {
  readonly client: CaptureClient;
  readonly keyId: string;
  readonly session: string | undefined;
  readonly mayUseUnsafe: boolean;
  readonly baseUrl: string;
}

interface Message {
  readonly method?: unknown;
  readonly params?: { readonly requestId?: unknown } | null;
}

/**
 * Answers requests to `/mcp`: each has a server of its own, which keeps nothing (protocol 2026-07-28, and the earlier ones
 * without sessions).
 */
@Injectable()
export class McpService {
  private readonly logger = new Logger(McpService.name);
  private readonly calls = new CallsInProgress();
  private readonly handle: NodeMcpRequestHandler;

  constructor(
    private readonly env: Env,
    private readonly drain: DrainService,
    private readonly clients: LoopbackClientFactory,
    private readonly servers: McpServerFactory,
  ) {
    const onerror = (error: Error): void => {
      this.logger.debug({ err: error }, 'A request to /mcp was refused');
    };
    const handler = createMcpHandler(({ authInfo }) => this.serverFor(peerOf(authInfo)), {
      // A stream has signs of life, without which proxies cut a call that takes long.
      responseMode: 'sse',
      // The lists of tools and resources never change, so that there is nothing to subscribe to.
      maxSubscriptions: 0,
      onerror,
    });
    this.handle = toNodeHandler(handler, { onerror });
  }

  async answer(request: Request, response: Response, body: unknown): Promise<void> {
    const { keyId, mcpUnsafe } = callerOf(request);
    const session = request.get(SESSION_HEADER);
    for (const { method, params } of messagesOf(body)) {
      if (method === 'initialize') response.setHeader(SESSION_HEADER, newId());
      if (method === 'notifications/cancelled' && session !== undefined) {
        this.calls.cancel({ keyId, session, requestId: params?.requestId });
      }
    }
    const key = presentedKey(request) ?? '';
    const peer: Peer = {
      client: this.clients.create({ key, requestId: response.get('X-Request-Id') ?? newId() }),
      keyId,
      session,
      mayUseUnsafe: mcpUnsafe,
      baseUrl: baseUrlOf(request, this.env),
    };
    const auth: AuthInfo = { token: key, clientId: keyId, scopes: [], extra: { peer } };
    await this.handle(Object.assign(request, { auth }), response, body);
  }

  private serverFor(peer: Peer) {
    return this.servers.create(peer.mayUseUnsafe, (context, work) => this.call(peer, context, work));
  }

  private call<T>(peer: Peer, context: ServerContext, work: (call: ToolCall) => Promise<T>): Promise<T> {
    const { client, keyId, session, mayUseUnsafe, baseUrl } = peer;
    const { id, signal } = context.mcpReq;
    const { closing } = this.drain;
    const run = (end: AbortSignal): Promise<T> =>
      work({ client, signal: end, closing, mayUseUnsafe, baseUrl, report: reportTo(context) });
    return session === undefined
      ? run(signal)
      : this.calls.run({ keyId, session, requestId: id }, signal, run);
  }
}

function peerOf(authInfo: AuthInfo | undefined): Peer {
  const peer = authInfo?.extra?.peer;
  if (peer === undefined) throw new Error('A request to /mcp has a caller');
  return peer as Peer;
}

function messagesOf(body: unknown): Message[] {
  return [body].flat().filter((each): each is Message => typeof each === 'object' && each !== null);
}

/** Sends progress to a client that has asked for it. Its value must rise, as the protocol demands. */
function reportTo({ mcpReq }: ServerContext): ToolCall['report'] {
  const progressToken = mcpReq._meta?.progressToken;
  let last = { progress: 0, text: '' };
  return (text, steps) => {
    const progress = steps?.done ?? last.progress + 1;
    if (progressToken === undefined || text === last.text || progress <= last.progress) return;
    last = { progress, text };
    const params = { progressToken, progress, message: text, ...(steps && { total: steps.total }) };
    // The client may have gone.
    void mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}
