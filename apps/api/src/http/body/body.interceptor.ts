import {
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { catchError, throwError, type Observable } from 'rxjs';
import { CAPTURE_LIMITS, readJson } from './json-body.js';
import type { JsonLimits } from './json-extent.js';
import { closeUnlessRead } from './request-body.js';

/** The route takes JSON within these limits: without them, a body that may have `html`. */
export const JsonBody = (limits = CAPTURE_LIMITS): MethodDecorator =>
  UseInterceptors(new JsonBodyInterceptor(limits));

/** The route reads its body as a stream, and may refuse it midway. */
export const StreamedBody = (): MethodDecorator => UseInterceptors(new StreamedBodyInterceptor());

/**
 * Reads and parses JSON after the guards. Express' own parser runs before them, and would read the body of a caller without
 * a valid key.
 */
class JsonBodyInterceptor implements NestInterceptor {
  constructor(private readonly limits: JsonLimits) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    try {
      request.body = await readJson(request, this.limits);
    } catch (error) {
      closeUnlessRead(request, http.getResponse<Response>());
      throw error;
    }
    return next.handle();
  }
}

class StreamedBodyInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    return next.handle().pipe(
      catchError((error: unknown) => {
        closeUnlessRead(http.getRequest<Request>(), http.getResponse<Response>());
        return throwError(() => error);
      }),
    );
  }
}
