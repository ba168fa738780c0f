import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import pg from 'pg';
import { Env } from '@app/config';
import { SIGNALS } from './signals.js';

const RECONNECT_DELAY_MS = 500;

interface SignalEvents {
  finished: [jobId: string];
  canceled: [jobId: string];
  /** The connection was made (again): what was said meanwhile is not heard any more. */
  connected: [];
}

/**
 * Hears the signals of all processes, on one LISTEN connection. A signal may be missed while the connection is down,
 * so whoever waits for one also polls.
 */
@Injectable()
export class JobSignals extends EventEmitter<SignalEvents> implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(JobSignals.name);
  private client: pg.Client | undefined;
  private closing = false;

  constructor(private readonly env: Env) {
    super();
  }

  async onModuleInit(): Promise<void> {
    // One listener for each request that waits.
    this.setMaxListeners(0);
    await this.connect();
  }

  async onApplicationShutdown(): Promise<void> {
    this.closing = true;
    await this.client?.end().catch(() => undefined);
  }

  private async connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.env.DATABASE_URL,
      application_name: 'capture-signals',
      keepAlive: true,
    });
    client.on('notification', ({ channel, payload }) => {
      this.hear(channel, payload ?? '');
    });
    client.on('error', (error) => {
      this.logger.warn(`signals: ${error.message}`);
    });
    await client.connect();
    this.client = client;
    for (const channel of Object.values(SIGNALS)) await client.query(`LISTEN ${channel}`);
    // Not before: a connection that is refused ends too, and would start a second loop beside the one that made it.
    client.once('end', () => {
      void this.reconnect();
    });
    this.emit('connected');
  }

  private hear(channel: string, jobId: string): void {
    if (channel === SIGNALS.finished) this.emit('finished', jobId);
    else if (channel === SIGNALS.canceled) this.emit('canceled', jobId);
  }

  private async reconnect(): Promise<void> {
    while (!this.closing) {
      await sleep(RECONNECT_DELAY_MS);
      try {
        await this.connect();
        return;
      } catch (error) {
        this.logger.warn(`signals: ${(error as Error).message}`);
      }
    }
  }
}
