import { Body, Controller, HttpCode, Post, Req, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { NeedsScope } from '../http/auth/scope.js';
import { JsonBody } from '../http/body/body.interceptor.js';
import { McpHostGuard } from './mcp-host.guard.js';
import { McpService } from './mcp.service.js';

/**
 * `POST /mcp`: the Model Context Protocol. Its messages have schemas of their own, so that the OpenAPI document says nothing
 * about them; docs/mcp.md does.
 */
@ApiExcludeController()
@Controller('mcp')
@UseGuards(McpHostGuard)
export class McpController {
  constructor(private readonly mcp: McpService) {}

  @Post()
  @NeedsScope('any')
  @HttpCode(200)
  @JsonBody()
  answer(@Req() request: Request, @Body() body: unknown, @Res() response: Response): Promise<void> {
    return this.mcp.answer(request, response, body);
  }
}
