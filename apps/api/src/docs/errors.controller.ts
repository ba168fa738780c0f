import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../http/caller.js';
import { ERRORS_PAGE } from './errors-page.js';

/** Where the `type` of every problem leads. */
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
