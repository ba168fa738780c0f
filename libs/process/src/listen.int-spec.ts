import { once } from 'node:events';
import net from 'node:net';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { describe, expect, it } from '@jest/globals';
import { StartupError } from '@app/kernel';
import { listen } from './listen.js';

@Module({})
class EmptyModule {}

describe(listen, () => {
  it('names the variable of a port on which another program listens', async () => {
    const other = net.createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as net.AddressInfo;
    const app = await NestFactory.create(EmptyModule, { logger: false });
    try {
      const failed = listen(app, { host: '127.0.0.1', port, variable: 'WORKER_PORT' });
      await expect(failed).rejects.toThrow(StartupError);
      await expect(failed).rejects.toThrow(
        `Port ${port} on 127.0.0.1 cannot be used: another program listens`,
      );
      await expect(failed).rejects.toThrow('Set WORKER_PORT to a free one');
    } finally {
      await app.close();
      other.close();
    }
  });
});
