import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Actor } from '@app/audit';
import type { Response } from 'express';
import { NeedsScope } from '../http/auth/scope.js';
import { JsonBody } from '../http/body/body.interceptor.js';
import { smallLimits } from '../http/body/json-body.js';
import { ListQuery } from '../http/page.query.js';
import { queryOf } from '../http/parse.pipe.js';
import { AccountAdministrationService } from './account-administration.service.js';
import type { AccountList, AccountRecord } from './account.response.js';
import { ChangedBy } from './actor.js';
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
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ): Promise<AccountRecord> {
    const account = await this.accounts.create(body, by);
    response.location(`/v1/admin/accounts/${account.id}`);
    return account;
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
  pause(@ChangedBy() by: Actor, @Param('id') id: string): Promise<AccountRecord> {
    return this.accounts.setPaused(id, true, by);
  }

  @Post(':id/resume')
  @HttpCode(200)
  @DocumentsAccountResume()
  resume(@ChangedBy() by: Actor, @Param('id') id: string): Promise<AccountRecord> {
    return this.accounts.setPaused(id, false, by);
  }

  @Delete(':id')
  @HttpCode(202)
  @DocumentsAccountDeletion()
  remove(@ChangedBy() by: Actor, @Param('id') id: string): Promise<AccountRecord> {
    return this.accounts.remove(id, by);
  }
}
