import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Env } from '@app/config';
import { pause } from '@app/kernel';
import { destroy } from './client.js';
import { connectMsOf } from './data-source.js';
import { ListeningClient } from './listening-client.js';

const RECONNECT_DELAY_MS = 500;

const QUERY_TIMEOUT_MS = 5_000;

type Listener = (payload: string) => void;

/**
 * Receives the notifications of PostgreSQL on one connection of this process, which is opened for the first channel and
 * reopened whenever it breaks. Notifications in between are lost, so listeners also poll.
 */
@Injectable()
export class NotificationsService implements OnApplicationShutdown {
  private readonly logger = new Logger(NotificationsService.name);
  private readonly listeners = new Map<string, Listener[]>();
  private readonly onConnect: (() => void)[] = [];
  private readonly closing = new AbortController();
  private connecting: Promise<ListeningClient> | undefined;

  constructor(private readonly env: Env) {}

  /** Resolves once the channel is subscribed to; rejects when the database cannot be reached. */
  async listen(channel: string, listener: Listener): Promise<void> {
    this.listeners.set(channel, [...(this.listeners.get(channel) ?? []), listener]);
    this.connecting ??= this.connect();
    const client = await this.connecting;
    await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
  }

  /** Calls back after each connect and reconnect: earlier notifications may have been lost. */
  onConnected(callBack: () => void): void {
    this.onConnect.push(callBack);
  }

  async onApplicationShutdown(): Promise<void> {
    this.closing.abort();
    const client = await this.connecting?.catch(() => undefined);
    await client?.end().catch(() => undefined);
  }

  private async connect(): Promise<ListeningClient> {
    const client = new ListeningClient({
      connectionString: this.env.DATABASE_URL,
      application_name: 'capture-notifications',
      keepAlive: true,
      connectionTimeoutMillis: connectMsOf(this.env.DATABASE_URL ?? ''),
      query_timeout: QUERY_TIMEOUT_MS,
    });
    client.on('notification', ({ channel, payload }) => {
      for (const listener of this.listeners.get(channel) ?? []) listener(payload ?? '');
    });
    client.on('error', (error) => {
      this.logger.warn(`notifications: ${error.message}`);
    });
    try {
      await client.connect();
      await this.subscribe(client);
    } catch (error) {
      destroy(client);
      throw error;
    }
    // Registered only now: a refused connection ends, too, and would start a second reconnect loop.
    client.once('end', () => void this.reconnect());
    for (const callBack of this.onConnect) callBack();
    return client;
  }

  private async subscribe(client: ListeningClient): Promise<void> {
    for (const channel of this.listeners.keys())
      await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
  }

  private async reconnect(): Promise<void> {
    for (;;) {
      await pause(RECONNECT_DELAY_MS, this.closing.signal);
      if (this.closing.signal.aborted) return;
      try {
        this.connecting = Promise.resolve(await this.connect());
        return;
      } catch (error) {
        this.logger.warn(`notifications: ${(error as Error).message}`);
      }
    }
  }
}
