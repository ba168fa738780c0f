import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Observable } from 'rxjs';
import { readJson } from './json-body.js';

/**
 * Reads the body of a route that takes JSON. Express' own parser runs before any guard; here the caller is known, so
 * a stranger is refused before a byte of the body is read.
 */
@Injectable()
export class JsonBodyInterceptor implements NestInterceptor {
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    try {
      request.body = await readJson(request);
    } catch (error) {
      // What is left of the body is not read: the connection cannot carry another request.
      if (!request.complete) http.getResponse<Response>().setHeader('Connection', 'close');
      throw error;
    }
    return next.handle();
  }
}
