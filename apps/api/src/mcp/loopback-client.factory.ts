import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { CaptureClient, VERSION } from '@capture-service/client';
import { traceHeaders } from '@app/tracing';
import { Agent, fetch, type RequestInit } from 'undici';
import { DrainService } from '../http/drain.service.js';

/** Addresses that mean all of the machine; a request goes to the loopback address of the same kind instead. */
const WILDCARDS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** For whom the API calls itself. */
export interface LoopbackCaller {
  /** The key of the caller, whose limits and permissions hold. */
  readonly key: string;
  /** Headers that name the address of the caller. */
  readonly origin: Readonly<Record<string, string>>;
  /** The id of the caller's request, by which the log lines of all requests that it causes are found. */
  readonly requestId: string;
}

/**
 * Makes clients that call the API in the same process, so that a tool can do what its caller can do by HTTP, and nothing
 * else.
 */
@Injectable()
export class LoopbackClientFactory implements OnModuleInit {
  /** Its connections are its own, because the server waits for all of them when it shuts down. The client limits the time. */
  private readonly agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 });

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly drain: DrainService,
  ) {}

  onModuleInit(): void {
    this.drain.closing.addEventListener('abort', () => void this.agent.close());
  }

  create({ key, origin, requestId }: LoopbackCaller): CaptureClient {
    const send = async (url: string, init: RequestInit): Promise<unknown> => {
      const headers = {
        ...Object.fromEntries(new Headers(init.headers as HeadersInit)),
        ...origin,
        'X-Request-Id': requestId,
        ...traceHeaders(),
      };
      return fetch(url, { ...init, headers, dispatcher: this.agent });
    };
    return new CaptureClient({
      baseUrl: this.url(),
      key,
      userAgent: `capture-mcp/${VERSION}`,
      // A model learns at once that it must wait, where a pause of a minute would cost it the answer.
      retries: 0,
      // The same function as that of Node, with its own types.
      fetch: send as unknown as typeof globalThis.fetch,
    });
  }

  /** The address on which the server listens. */
  private url(): string {
    const { address, port } = (this.host.httpAdapter.getHttpServer() as Server).address() as AddressInfo;
    const host = WILDCARDS[address] ?? address;
    return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  }
}
