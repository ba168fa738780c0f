import {
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { catchError, throwError, type Observable } from 'rxjs';
import { JSON_LIMIT_BYTES, readJson } from './json-body.js';
import { closeUnlessRead } from './request-body.js';

/** The route takes JSON, up to `maxBytes` after decompression. */
export const JsonBody = (maxBytes = JSON_LIMIT_BYTES): MethodDecorator =>
  UseInterceptors(new JsonBodyInterceptor(maxBytes));

/** The route reads its body as a stream, and may refuse it midway. */
export const StreamedBody = (): MethodDecorator => UseInterceptors(new StreamedBodyInterceptor());

/**
 * Reads and parses JSON after the guards. Express' own parser runs before them, and would read the body of a caller without
 * a valid key.
 */
class JsonBodyInterceptor implements NestInterceptor {
  constructor(private readonly maxBytes: number) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    try {
      request.body = await readJson(request, this.maxBytes);
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
