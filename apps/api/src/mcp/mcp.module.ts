import { Module } from '@nestjs/common';
import { RatesModule } from '@app/usage';
import { HttpModule } from '../http/http.module.js';
import { RateGuard } from '../http/rate.guard.js';
import { LoopbackClientFactory } from './loopback-client.factory.js';
import { McpHostGuard } from './mcp-host.guard.js';
import { McpController } from './mcp.controller.js';
import { McpService } from './mcp.service.js';

/** `POST /mcp`: tools with which language models look at pages. */
@Module({
  imports: [HttpModule, RatesModule],
  controllers: [McpController],
  providers: [LoopbackClientFactory, McpHostGuard, McpService, RateGuard],
})
export class McpModule {}
