import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { Env } from '@app/config';
import { CONNECT_MS } from './data-source.js';

const RECONNECT_DELAY_MS = 500;

/** Nothing is sent on a connection that only listens, so that a server which vanished shows by a question alone. */
const QUESTION_EVERY_MS = 10_000;
const ANSWER_WITHIN_MS = 5_000;

/** Takes the payload of a notification. */
type Hearer = (payload: string) => void;

/**
 * Hears PostgreSQL's notifications on one connection of this process, made with the first channel and again whenever
 * it breaks. What is said meanwhile is not heard, so whoever waits for a notification also polls.
 */
@Injectable()
export class NotificationsService implements OnApplicationShutdown {
  private readonly logger = new Logger(NotificationsService.name);
  private readonly hearers = new Map<string, Hearer[]>();
  private readonly connected: (() => void)[] = [];
  private connecting: Promise<pg.Client> | undefined;
  private closing = false;

  constructor(private readonly env: Env) {}

  /** Resolves once the channel is heard; rejects when the database cannot be reached. */
  async listen(channel: string, hear: Hearer): Promise<void> {
    this.hearers.set(channel, [...(this.hearers.get(channel) ?? []), hear]);
    this.connecting ??= this.connect();
    const client = await this.connecting;
    await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
  }

  /** Calls back whenever the connection was made, the first time and again: what was said before may have been missed. */
  onConnected(callBack: () => void): void {
    this.connected.push(callBack);
  }

  async onApplicationShutdown(): Promise<void> {
    this.closing = true;
    const client = await this.connecting?.catch(() => undefined);
    await client?.end().catch(() => undefined);
  }

  private async connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.env.DATABASE_URL,
      application_name: 'capture-notifications',
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: ANSWER_WITHIN_MS,
    });
    client.on('notification', ({ channel, payload }) => {
      for (const hear of this.hearers.get(channel) ?? []) hear(payload ?? '');
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
    const questions = setInterval(() => {
      this.subscribe(client).catch(() => {
        destroy(client);
      });
    }, QUESTION_EVERY_MS);
    // Not before: a connection that is refused ends too, and would start a second loop beside the one that made it.
    client.once('end', () => {
      clearInterval(questions);
      void this.reconnect();
    });
    for (const callBack of this.connected) callBack();
    return client;
  }

  /** Subscribing again changes nothing. */
  private async subscribe(client: pg.Client): Promise<void> {
    for (const channel of this.hearers.keys())
      await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
  }

  private async reconnect(): Promise<void> {
    for (;;) {
      await sleep(RECONNECT_DELAY_MS);
      if (this.closing) return;
      try {
        this.connecting = Promise.resolve(await this.connect());
        return;
      } catch (error) {
        this.logger.warn(`notifications: ${(error as Error).message}`);
      }
    }
  }
}

/** Ends the connection without waiting for the server, which may be gone. */
function destroy(client: pg.Client): void {
  (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
}
