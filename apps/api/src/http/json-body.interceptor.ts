import {
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Observable } from 'rxjs';
import { JSON_LIMIT_BYTES, readJson } from './json-body.js';
import { closeUnlessRead } from './unread-body.js';

/**
 * Reads the body of a route that takes JSON. Express' own parser runs before any guard; here the caller is known, so
 * a stranger is refused before a byte of the body is read.
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

/** The route takes JSON, up to so many bytes after decompression. */
export const JsonBody = (maxBytes = JSON_LIMIT_BYTES): MethodDecorator =>
  UseInterceptors(new JsonBodyInterceptor(maxBytes));
