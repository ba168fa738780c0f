import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Caller } from '@app/auth';
import { JobsService } from '@app/jobs';
import { SessionRepository } from '@app/sessions';
import type { Response } from 'express';
import { CaptureFileService } from '../captures/capture-file.service.js';
import { AccountId, Sender } from '../http/auth/caller.js';
import { NeedsScope } from '../http/auth/scope.js';
import { JsonBody } from '../http/body/body.interceptor.js';
import { smallLimits } from '../http/body/json-body.js';
import { IdempotencyKey, markReplay, toIdempotency } from '../http/idempotency.js';
import { ListQuery, pageOf } from '../http/page.query.js';
import { queryOf } from '../http/parse.pipe.js';
import { AccountSessionsService } from './account-sessions.service.js';
import { SessionEndService } from './session-end.service.js';
import { admitOrigins } from './session-origins.js';
import { readSessionRequest } from './session.request.js';
import { toSessionList, toSessionRecord, type SessionList, type SessionRecord } from './session.response.js';
import {
  DocumentsCreation,
  DocumentsEnd,
  DocumentsLogIn,
  DocumentsPicture,
  DocumentsSession,
  DocumentsSessions,
} from './sessions.docs.js';

/** A state has at most a megabyte, of which JSON may escape each character. */
const MAX_BYTES = 6_291_456;

/** Sessions: logging in once for many captures. */
@ApiTags('Sessions')
@Controller('v1/sessions')
export class SessionsController {
  constructor(
    private readonly sessions: AccountSessionsService,
    private readonly repository: SessionRepository,
    private readonly ends: SessionEndService,
    private readonly jobs: JobsService,
    private readonly files: CaptureFileService,
  ) {}

  @Post()
  @NeedsScope('capture')
  @HttpCode(201)
  @JsonBody(smallLimits(MAX_BYTES))
  @DocumentsCreation()
  async create(
    @Sender() sender: Caller,
    @IdempotencyKey() key: string | undefined,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SessionRecord> {
    const idempotency = toIdempotency(key, 'POST /v1/sessions', body);
    const request = admitOrigins(sender, readSessionRequest(body));
    const { session, replayed } = await this.sessions.create(sender.accountId, request, idempotency);
    markReplay(response, replayed);
    response.location(`/v1/sessions/${session.id}`);
    return toSessionRecord(session);
  }

  @Get()
  @NeedsScope('read')
  @DocumentsSessions()
  async list(
    @AccountId() accountId: string,
    @Query(queryOf(ListQuery)) query: ListQuery,
  ): Promise<SessionList> {
    return toSessionList(await this.repository.list(accountId, pageOf(query)));
  }

  @Get(':id')
  @NeedsScope('read')
  @DocumentsSession()
  async find(@AccountId() accountId: string, @Param('id') id: string): Promise<SessionRecord> {
    return toSessionRecord(await this.sessions.find(accountId, id));
  }

  @Delete(':id')
  @NeedsScope('capture')
  @HttpCode(204)
  @DocumentsEnd()
  async delete(@AccountId() accountId: string, @Param('id') id: string): Promise<void> {
    await this.ends.revoke(await this.sessions.find(accountId, id));
  }

  /** The Idempotency-Key is only checked: a repetition joins the log-in that is open. */
  @Post(':id/login')
  @NeedsScope('capture')
  @HttpCode(202)
  @DocumentsLogIn()
  async logIn(
    @AccountId() accountId: string,
    @IdempotencyKey() _key: string | undefined,
    @Param('id') id: string,
  ): Promise<SessionRecord> {
    return toSessionRecord(await this.sessions.logIn(accountId, id));
  }

  @Get(':id/picture')
  @NeedsScope('read')
  @DocumentsPicture()
  async picture(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Res() response: Response,
  ): Promise<void> {
    const session = await this.sessions.find(accountId, id);
    const job = await this.jobs.find(accountId, session.lastJobId ?? '');
    await this.files.send(job, response, job.status === 'failed' ? { name: 'failure' } : {});
  }
}
