import { Controller, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../http/auth/caller.js';
import { StreamedBody } from '../../http/body/body.interceptor.js';
import { ProviderLogOutService } from './provider-log-out.service.js';
import { SignOnService } from './sign-on.service.js';

/** Single sign-on of the console: browsers navigate to these routes, and the provider calls `back-channel`. */
@ApiExcludeController()
@Controller('console/session/oidc')
export class SignOnController {
  constructor(
    private readonly signOn: SignOnService,
    private readonly logOuts: ProviderLogOutService,
  ) {}

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

  @Post('back-channel')
  @Public()
  @HttpCode(200)
  @StreamedBody()
  receiveLogOut(@Req() request: Request): Promise<void> {
    return this.logOuts.receive(request);
  }
}
