import { Body, Controller, Delete, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../http/auth/caller.js';
import { sessionToken } from '../http/auth/console-cookie.js';
import { JsonBody } from '../http/body/body.interceptor.js';
import { smallLimits } from '../http/body/json-body.js';
import { ParsePipe } from '../http/parse.pipe.js';
import { refusalOf } from './console-access.middleware.js';
import type { ConsoleSession } from './console-session.response.js';
import { ConsoleAccessService } from './console-access.service.js';
import { readLogIn, type LogInRequest } from './log-in.request.js';

/** A log-in fits in less. */
const MAX_BYTES = 1_024;

/** The session of the console: its log-in with an API key or a link, its keys, its log-out. */
@ApiExcludeController()
@Controller('console/session')
export class ConsoleSessionController {
  constructor(private readonly access: ConsoleAccessService) {}

  @Get()
  @Public()
  read(@Req() request: Request): Promise<ConsoleSession> {
    return this.access.read(request);
  }

  @Post()
  @Public()
  @HttpCode(200)
  @JsonBody(smallLimits(MAX_BYTES))
  logIn(
    @Body(new ParsePipe(readLogIn)) body: LogInRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ConsoleSession> {
    requireOwnPage(response.req);
    return this.access.logIn(body, response);
  }

  @Delete()
  @Public()
  @HttpCode(204)
  async logOut(@Res({ passthrough: true }) response: Response): Promise<void> {
    requireOwnPage(response.req);
    await this.access.end(sessionToken(response.req), response);
  }

  @Delete('keys/:id')
  @Public()
  logOutOf(@Param('id') id: string, @Res({ passthrough: true }) response: Response): Promise<ConsoleSession> {
    requireOwnPage(response.req);
    return this.access.removeKey(id, response);
  }
}

function requireOwnPage(request: Request): void {
  const refusal = refusalOf(request);
  if (refusal) throw refusal;
}
