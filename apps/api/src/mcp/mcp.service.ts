import { Injectable, Logger } from '@nestjs/common';
import type { NodeMcpRequestHandler } from '@modelcontextprotocol/node';
import type { AuthInfo, ServerContext } from '@modelcontextprotocol/server';
import { Env } from '@app/config';
import { AppError, newId } from '@app/kernel';
import type { Request, Response } from 'express';
import { presentedKey } from '../http/auth/caller.service.js';
import { callerOf } from '../http/auth/caller.js';
import { ClientOriginService } from '../http/auth/client-origin.service.js';
import { baseUrlOf } from '../http/base-url.js';
import { DrainService } from '../http/drain.service.js';
import { RateGuard } from '../http/rate.guard.js';
import { CallsInProgress } from './calls-in-progress.js';
import { LoopbackClientFactory } from './loopback-client.factory.js';
import type { McpPeer } from './mcp-handler.js';
import type { ToolCall } from './tool.js';

/** Names a client, so that it can cancel its own calls only. */
const SESSION_HEADER = 'Mcp-Session-Id';

const MAX_MESSAGES = 20;

/** A client that reads nothing for so long is disconnected: its answers, of up to 11 MB each, wait in memory. */
const MAX_STALL_MS = 60_000;

interface Message {
  readonly method?: unknown;
  readonly params?: { readonly requestId?: unknown } | null;
}

/** Answers requests to `/mcp`. */
@Injectable()
export class McpService {
  private readonly logger = new Logger(McpService.name);
  private readonly calls = new CallsInProgress();
  private handler: Promise<NodeMcpRequestHandler> | undefined;

  constructor(
    private readonly env: Env,
    private readonly drain: DrainService,
    private readonly clients: LoopbackClientFactory,
    private readonly rate: RateGuard,
    private readonly origins: ClientOriginService,
  ) {}

  async answer(request: Request, response: Response, body: unknown): Promise<void> {
    const caller = callerOf(request);
    const { keyId, mcpUnsafe } = caller;
    const session = request.get(SESSION_HEADER);
    const messages = messagesOf(body);
    // The guard has counted the first one.
    for (const _ of messages.slice(1)) await this.rate.count(caller, response);
    response.setTimeout(MAX_STALL_MS, () => response.destroy());
    for (const { method, params } of messages) {
      if (method === 'initialize') response.setHeader(SESSION_HEADER, newId());
      if (method === 'notifications/cancelled' && session !== undefined) {
        this.calls.cancel({ keyId, session, requestId: params?.requestId });
      }
    }
    const key = presentedKey(request) ?? '';
    const peer: McpPeer = {
      client: this.clients.create({
        key,
        origin: this.origins.headersFor(request),
        requestId: response.get('X-Request-Id') ?? newId(),
      }),
      keyId,
      session,
      mayUseUnsafe: mcpUnsafe,
      baseUrl: baseUrlOf(request, this.env),
    };
    const auth: AuthInfo = { token: key, clientId: keyId, scopes: [], extra: { peer } };
    const handle = await this.load();
    await handle(Object.assign(request, { auth }), response, body);
  }

  /** The tools are loaded with the first request: they take 0.2 s and 20 MB, which an API without agents does not spend. */
  private load(): Promise<NodeMcpRequestHandler> {
    this.handler ??= import('./mcp-handler.js').then(({ createHandler }) =>
      createHandler(
        (peer) => (context, work) => this.call(peer, context, work),
        (error) => {
          this.logger.debug({ err: error }, 'A request to /mcp was refused');
        },
      ),
    );
    return this.handler;
  }

  private call<T>(peer: McpPeer, context: ServerContext, work: (call: ToolCall) => Promise<T>): Promise<T> {
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

/** The messages of a request; the protocol 2025-03-26 has batches of them. */
function messagesOf(body: unknown): Message[] {
  const all = [body].flat();
  if (all.length > MAX_MESSAGES) {
    throw new AppError('invalid_request', { detail: `A batch has at most ${MAX_MESSAGES} messages.` });
  }
  return all.filter((each): each is Message => typeof each === 'object' && each !== null);
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
