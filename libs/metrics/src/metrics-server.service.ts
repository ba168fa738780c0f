import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { AppError, StartupError } from '@app/kernel';
import { MetricsService } from './metrics.service.js';

/** A scraper sends one line and a few headers, which takes no longer. */
const REQUEST_TIMEOUT_MS = 5_000;

/** The address of the metrics server; the name of its variable is for error messages. */
export class MetricsAddress {
  constructor(
    readonly variable: 'METRICS_PORT' | 'WORKER_METRICS_PORT',
    readonly host: string,
    /** 0: the metrics are not served. */
    readonly port: number,
  ) {}
}

/**
 * Serves `/metrics`, and JSON documents beside it, on a port of its own, so that the public port does not expose them. It
 * opens before the process serves or captures anything and closes after the process has drained, so that a shutdown is
 * visible, too.
 */
@Injectable()
export class MetricsServerService implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(MetricsServerService.name);
  private server: Server | undefined;

  constructor(
    private readonly metrics: MetricsService,
    private readonly address: MetricsAddress,
  ) {}

  /** @throws StartupError that names the variable when the port cannot be used */
  async onModuleInit(): Promise<void> {
    const { host, port } = this.address;
    if (port === 0) return;
    this.metrics.watchProcess();
    const server = createServer((request, response) => void this.answer(request, response));
    server.requestTimeout = REQUEST_TIMEOUT_MS;
    try {
      server.listen(port, host);
      await once(server, 'listening');
    } catch (cause) {
      throw this.startupErrorOf(cause as NodeJS.ErrnoException);
    }
    this.server = server;
  }

  async onApplicationShutdown(): Promise<void> {
    const { server } = this;
    if (!server) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url?.split('?')[0] ?? '';
    const read = this.metrics.documentAt(path);
    if (path !== '/metrics' && !read) return end(response, 404);
    if (request.method !== 'GET' && request.method !== 'HEAD') return end(response, 405);
    try {
      if (read) send(response, JSON.stringify(await read()), 'application/json; charset=utf-8');
      else send(response, await this.metrics.expose(), this.metrics.contentType);
    } catch (error) {
      if (error instanceof AppError) return sendProblem(response, error);
      this.logger.error({ err: error }, 'the metrics could not be read');
      end(response, 500);
    }
  }

  private startupErrorOf(cause: NodeJS.ErrnoException): StartupError {
    const { variable, host, port } = this.address;
    return new StartupError(
      `Port ${port} on ${host} cannot be used for metrics (${cause.code ?? cause.message}).\n` +
        `Set ${variable} to a free port (0: no metrics), or METRICS_HOST to an address of this machine.`,
      { cause },
    );
  }
}

function send(response: ServerResponse, text: string, contentType: string): void {
  response.setHeader('Content-Type', contentType);
  response.end(text);
}

function sendProblem(response: ServerResponse, error: AppError): void {
  const { status } = error;
  response.statusCode = status;
  send(response, JSON.stringify({ ...error.toBody(), status }), 'application/problem+json; charset=utf-8');
}

function end(response: ServerResponse, status: number): void {
  response.writeHead(status).end();
}
