import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { actorOf } from '../http/auth/actor.js';
import { idempotencyKeyOf, markReplay, toIdempotency } from '../http/idempotency.js';
import type { ChangeRequest } from './repeatable-changes.service.js';

/** A request for a change that is made once for its Idempotency-Key, and its answer. */
export interface RepeatableRequest extends ChangeRequest {
  /** The record of an answer, which is marked when an earlier request has made the change. */
  readonly answer: <Shown>(
    answer: Promise<{ readonly record: Shown; readonly replayed: boolean }>,
  ) => Promise<Shown>;
}

/** The request, whose method, path and body say which other ones are the same. */
export const Repeatable = createParamDecorator(
  (_: undefined, context: ExecutionContext): RepeatableRequest => {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const { method, path } = request;
    return {
      by: actorOf(request),
      idempotency: toIdempotency(idempotencyKeyOf(request), `${method} ${path}`, request.body ?? {}),
      answer: async (answer) => {
        const { record, replayed } = await answer;
        markReplay(response, replayed);
        return record;
      },
    };
  },
);
