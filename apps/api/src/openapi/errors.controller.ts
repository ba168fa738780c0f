import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../http/auth/caller.js';
import { ERRORS_PAGE } from './errors-page.js';

/** Serves the page that the `type` of every problem links to. */
@ApiExcludeController()
@Public()
@Controller('docs/errors')
export class ErrorsController {
  @Get()
  @Header('Content-Type', 'text/html; charset=utf-8')
  @Header('Content-Security-Policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
  show(): string {
    return ERRORS_PAGE;
  }
}
