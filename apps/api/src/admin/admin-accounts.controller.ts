import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Actor } from '@app/audit';
import type { Response } from 'express';
import { ChangedBy } from '../http/auth/actor.js';
import { NeedsScope } from '../http/auth/scope.js';
import { JsonBody } from '../http/body/body.interceptor.js';
import { smallLimits } from '../http/body/json-body.js';
import { IdempotencyKey, markReplay, toIdempotency } from '../http/idempotency.js';
import { ListQuery } from '../http/page.query.js';
import { queryOf } from '../http/parse.pipe.js';
import { AccountAdministrationService } from './account-administration.service.js';
import type { AccountList, AccountRecord } from './account.response.js';
import {
  DocumentsAccount,
  DocumentsAccountChange,
  DocumentsAccountDeletion,
  DocumentsAccountPause,
  DocumentsAccountResume,
  DocumentsAccounts,
  DocumentsNewAccount,
} from './admin.docs.js';

/** Each field is short. */
const MAX_BYTES = 65_536;

/** Accounts, for operators. */
@ApiTags('Operators')
@Controller('v1/admin/accounts')
@NeedsScope('admin')
export class AdminAccountsController {
  constructor(private readonly accounts: AccountAdministrationService) {}

  @Get()
  @DocumentsAccounts()
  list(@Query(queryOf(ListQuery)) query: ListQuery): Promise<AccountList> {
    return this.accounts.list(query);
  }

  @Post()
  @HttpCode(201)
  @JsonBody(smallLimits(MAX_BYTES))
  @DocumentsNewAccount()
  async create(
    @ChangedBy() by: Actor,
    @IdempotencyKey() key: string | undefined,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AccountRecord> {
    const idempotency = toIdempotency(key, 'POST /v1/admin/accounts', body);
    const { record, replayed } = await this.accounts.create(body, { by, idempotency });
    markReplay(response, replayed);
    response.location(`/v1/admin/accounts/${record.id}`);
    return record;
  }

  @Get(':id')
  @DocumentsAccount()
  show(@Param('id') id: string): Promise<AccountRecord> {
    return this.accounts.show(id);
  }

  @Patch(':id')
  @JsonBody(smallLimits(MAX_BYTES))
  @DocumentsAccountChange()
  change(@ChangedBy() by: Actor, @Param('id') id: string, @Body() body: unknown): Promise<AccountRecord> {
    return this.accounts.change(id, body, by);
  }

  @Post(':id/pause')
  @HttpCode(200)
  @DocumentsAccountPause()
  async pause(
    @ChangedBy() by: Actor,
    @IdempotencyKey() key: string | undefined,
    @Param('id') id: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AccountRecord> {
    const idempotency = toIdempotency(key, `POST /v1/admin/accounts/${id}/pause`, {});
    const { record, replayed } = await this.accounts.setPaused(id, true, { by, idempotency });
    markReplay(response, replayed);
    return record;
  }

  @Post(':id/resume')
  @HttpCode(200)
  @DocumentsAccountResume()
  async resume(
    @ChangedBy() by: Actor,
    @IdempotencyKey() key: string | undefined,
    @Param('id') id: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AccountRecord> {
    const idempotency = toIdempotency(key, `POST /v1/admin/accounts/${id}/resume`, {});
    const { record, replayed } = await this.accounts.setPaused(id, false, { by, idempotency });
    markReplay(response, replayed);
    return record;
  }

  @Delete(':id')
  @HttpCode(202)
  @DocumentsAccountDeletion()
  remove(@ChangedBy() by: Actor, @Param('id') id: string): Promise<AccountRecord> {
    return this.accounts.remove(id, by);
  }
}
