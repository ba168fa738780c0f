import { Catch, HttpException, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { isOutage } from '@app/database';
import { AppError } from '@app/kernel';
import type { Request, Response } from 'express';
import { allowedMethods, methodNotAllowed, type Routes } from '../allowed-methods.js';
import { errorsArePictures } from '../cross-origin.js';
import { errorPicture, PICTURE_TYPE } from './error-picture.js';
import { problemHeaders, toProblem } from './problem.js';

/** Answers every exception with a problem document, and logs what the client must not see. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger(ProblemFilter.name);

  constructor(private readonly host: HttpAdapterHost) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const error = this.toAppError(thrown, request, response);
    if (error.isFault) this.logger.error({ err: error.facts.cause ?? error }, error.message);
    // A truncated file must not look complete, so the connection is aborted.
    if (response.headersSent) response.destroy();
    else if (!response.destroyed) send(response, error);
  }

  private toAppError(thrown: unknown, request: Request, response: Response): AppError {
    if (thrown instanceof AppError) return thrown;
    if (!(thrown instanceof HttpException)) {
      return isOutage(thrown) ? new AppError('unavailable', { cause: thrown }) : AppError.from(thrown);
    }
    if (thrown.getStatus() === 404) return this.noSuchRoute(request, response);
    // The service throws AppError and reads bodies itself; these are the only exceptions of the framework that occur.
    if (thrown.getStatus() === 416) return new AppError('range_not_satisfiable', { cause: thrown });
    // Express cannot decode the path: like any other unknown id, it names nothing, and every route with an id documents that.
    if (!isDecodable(request.path)) {
      return new AppError('not_found', { detail: 'The path of the URL cannot be decoded.', cause: thrown });
    }
    return thrown.getStatus() < 500
      ? new AppError('invalid_request', { detail: 'A header does not fit the URL.', cause: thrown })
      : AppError.from(thrown);
  }

  private noSuchRoute(request: Request, response: Response): AppError {
    const { router } = this.host.httpAdapter.getInstance<{ router: Routes }>();
    const allowed = allowedMethods(router, request.path);
    if (allowed.length === 0) return new AppError('not_found', { detail: 'There is no such route.' });
    return methodNotAllowed(allowed, response);
  }
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

function send(response: Response, error: AppError): void {
  const problem = toProblem(error, response.get('X-Request-Id') ?? '');
  const isPicture = errorsArePictures(response);
  response.status(error.status).set({
    ...problemHeaders(error),
    ...(isPicture && { 'Content-Type': PICTURE_TYPE }),
  });
  if (response.req.method === 'HEAD') response.end();
  else response.end(isPicture ? errorPicture(problem) : JSON.stringify(problem));
}
