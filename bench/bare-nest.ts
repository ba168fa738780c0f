/** A Nest application with one route and nothing else: what an answer costs at least. It runs in a process of its own. */
import type { AddressInfo } from 'node:net';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

@Controller()
class BareController {
  @Get()
  show(): { readonly ok: boolean } {
    return { ok: true };
  }
}

@Module({ controllers: [BareController] })
class BareModule {}

const app = await NestFactory.create(BareModule, { logger: false });
await app.listen(0, '127.0.0.1');
const { port } = (app.getHttpServer() as { address(): AddressInfo }).address();
process.send?.(port);
process.once('disconnect', () => process.exit());
