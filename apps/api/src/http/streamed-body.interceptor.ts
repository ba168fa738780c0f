import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import { catchError, throwError, type Observable } from 'rxjs';
import { closeUnlessRead } from './unread-body.js';

/** For a route that reads its body as it comes in, and may refuse it half way. */
export class StreamedBodyInterceptor implements NestInterceptor {
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
