import { Controller, Post, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { ConsoleSessionsService } from '@app/auth';
import { Env } from '@app/config';
import type { Request } from 'express';
import { callerOf } from '../http/auth/caller.js';
import { CONSOLE_PATH } from '../http/auth/console-cookie.js';
import { NeedsScope } from '../http/auth/scope.js';
import { baseUrlOf } from '../http/base-url.js';

/** A link that logs in to the console once. */
interface LogInLink {
  readonly url: string;
  readonly expires_at: string;
}

/** Makes links that log in with the key of the request, such as the one that `npm start` prints. */
@ApiExcludeController()
@Controller('console/log-ins')
export class LogInsController {
  constructor(
    private readonly sessions: ConsoleSessionsService,
    private readonly env: Env,
  ) {}

  @Post()
  @NeedsScope('any')
  async create(@Req() request: Request): Promise<LogInLink> {
    const { token, expiresAt } = await this.sessions.createLogIn(callerOf(request).keyId);
    // Browsers do not send a fragment: the token is in no log, and a preview of the link does not use it up.
    const url = `${baseUrlOf(request, this.env)}${CONSOLE_PATH}/log-in#${token}`;
    return { url, expires_at: expiresAt.toISOString() };
  }
}
