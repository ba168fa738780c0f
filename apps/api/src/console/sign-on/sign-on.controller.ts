import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../../http/auth/caller.js';
import { SignOnService } from './sign-on.service.js';

/** Single sign-on of the console; browsers navigate to these routes. */
@ApiExcludeController()
@Controller('console/session/oidc')
export class SignOnController {
  constructor(private readonly signOn: SignOnService) {}

  @Get()
  @Public()
  begin(@Query('to') to: unknown, @Res() response: Response): Promise<void> {
    return this.signOn.begin(to, response);
  }

  @Get('callback')
  @Public()
  finish(@Res() response: Response): Promise<void> {
    return this.signOn.finish(response);
  }

  @Get('log-out')
  @Public()
  logOut(@Res() response: Response): Promise<void> {
    return this.signOn.logOut(response);
  }
}
