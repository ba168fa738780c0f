import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Actor } from '@app/audit';
import type { Response } from 'express';
import { ChangedBy } from '../http/auth/actor.js';
import { NeedsScope } from '../http/auth/scope.js';
import { JsonBody } from '../http/body/body.interceptor.js';
import { smallLimits } from '../http/body/json-body.js';
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
import { Repeatable, type RepeatableRequest } from './repeatable-request.js';

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
    @Repeatable() request: RepeatableRequest,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AccountRecord> {
    const record = await request.answer(this.accounts.create(body, request));
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
  pause(@Repeatable() request: RepeatableRequest, @Param('id') id: string): Promise<AccountRecord> {
    return request.answer(this.accounts.setPaused(id, true, request));
  }

  @Post(':id/resume')
  @HttpCode(200)
  @DocumentsAccountResume()
  resume(@Repeatable() request: RepeatableRequest, @Param('id') id: string): Promise<AccountRecord> {
    return request.answer(this.accounts.setPaused(id, false, request));
  }

  @Delete(':id')
  @HttpCode(202)
  @DocumentsAccountDeletion()
  remove(@ChangedBy() by: Actor, @Param('id') id: string): Promise<AccountRecord> {
    return this.accounts.remove(id, by);
  }
}
