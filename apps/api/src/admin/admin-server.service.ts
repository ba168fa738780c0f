import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Env } from '@app/config';
import { StartupError } from '@app/kernel';
import { configureServer } from '../http/configure-http.js';

/** Serves the API on ADMIN_PORT as well, where alone `/v1/admin` is found. */
@Injectable()
export class AdminServerService implements OnApplicationBootstrap, OnApplicationShutdown {
  private server: Server | undefined;

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly env: Env,
  ) {}

  /** @throws StartupError that names the variable when the port cannot be used */
  async onApplicationBootstrap(): Promise<void> {
    const { ADMIN_PORT: port, HOST: host } = this.env;
    if (port === 0) return;
    const server = createServer(this.host.httpAdapter.getInstance<RequestListener>());
    configureServer(server, this.env);
    try {
      server.listen(port, host);
      await once(server, 'listening');
    } catch (cause) {
      throw new StartupError(`Port ${port} on ${host} cannot be used. Set ADMIN_PORT to a free one.`, {
        cause,
      });
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
}
