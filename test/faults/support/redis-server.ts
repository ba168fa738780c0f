import path from 'node:path';
import { Redis } from 'ioredis';
import { startRedis } from '../../../apps/launcher/src/redis.mjs';
import { freePort } from '../../support/free-port.js';

const TOOLS = path.resolve(process.env.DATA_DIR ?? '.data', 'tools');

/** The Redis of one world, which persists its data and can be stopped and started again. */
export class RedisServer {
  private process: { stop(): Promise<void> } | undefined;

  private constructor(
    private readonly dir: string,
    private readonly port: number,
  ) {}

  static async open(folder: string): Promise<RedisServer> {
    const server = new RedisServer(path.join(folder, 'redis'), await freePort());
    await server.start();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}/0`;
  }

  async start(): Promise<void> {
    const started = await startRedis({
      dir: this.dir,
      port: this.port,
      toolsDir: TOOLS,
      durable: true,
      onSpawn: (process) => (this.process = process),
    });
    if (!started) throw new Error('No Redis on this machine.');
  }

  async stop(): Promise<void> {
    const { process: running } = this;
    this.process = undefined;
    await running?.stop();
  }

  async forgetEverything(): Promise<void> {
    await this.command((redis) => redis.flushall());
  }

  /** Cuts the connections of all clients, as a failover or an idle timeout does. */
  async cutClients(): Promise<void> {
    await this.command((redis) => redis.client('KILL', 'TYPE', 'normal', 'SKIPME', 'yes'));
  }

  /** Makes it refuse commands that need memory, while it still answers reads; undefined lifts the limit. */
  async limitMemory(bytes: number | undefined): Promise<void> {
    await this.command((redis) => redis.config('SET', 'maxmemory', bytes ?? 0));
  }

  private async command(send: (redis: Redis) => Promise<unknown>): Promise<void> {
    const redis = new Redis(this.url);
    try {
      await send(redis);
    } finally {
      redis.disconnect();
    }
  }
}
