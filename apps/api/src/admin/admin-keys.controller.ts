import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Actor } from '@app/audit';
import type { Response } from 'express';
import { ChangedBy } from '../http/auth/actor.js';
import { NeedsScope } from '../http/auth/scope.js';
import { JsonBody } from '../http/body/body.interceptor.js';
import { smallLimits } from '../http/body/json-body.js';
import { queryOf } from '../http/parse.pipe.js';
import {
  DocumentsKey,
  DocumentsKeyChange,
  DocumentsKeyRevocation,
  DocumentsKeyRotation,
  DocumentsKeys,
  DocumentsNewKey,
} from './admin.docs.js';
import { KeysQuery } from './admin.query.js';
import { KeyAdministrationService } from './key-administration.service.js';
import type { KeyList, KeyRecord, NewKeyRecord } from './key.response.js';
import { Repeatable, type RepeatableRequest } from './repeatable-request.js';

/** The lists of hosts and addresses fit in. */
const MAX_BYTES = 65_536;

/** Keys, for operators. */
@ApiTags('Operators')
@Controller('v1/admin/keys')
@NeedsScope('admin')
export class AdminKeysController {
  constructor(private readonly keys: KeyAdministrationService) {}

  @Get()
  @DocumentsKeys()
  list(@Query(queryOf(KeysQuery)) query: KeysQuery): Promise<KeyList> {
    return this.keys.list(query);
  }

  @Post()
  @HttpCode(201)
  @JsonBody(smallLimits(MAX_BYTES))
  @DocumentsNewKey()
  async create(
    @Repeatable() request: RepeatableRequest,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ): Promise<NewKeyRecord> {
    const record = await request.answer(this.keys.create(body, request));
    response.location(`/v1/admin/keys/${record.id}`);
    return record;
  }

  @Get(':id')
  @DocumentsKey()
  show(@Param('id') id: string): Promise<KeyRecord> {
    return this.keys.show(id);
  }

  @Patch(':id')
  @JsonBody(smallLimits(MAX_BYTES))
  @DocumentsKeyChange()
  change(@ChangedBy() by: Actor, @Param('id') id: string, @Body() body: unknown): Promise<KeyRecord> {
    return this.keys.change(id, body, by);
  }

  @Delete(':id')
  @DocumentsKeyRevocation()
  revoke(@ChangedBy() by: Actor, @Param('id') id: string): Promise<KeyRecord> {
    return this.keys.revoke(id, by);
  }

  @Post(':id/rotate')
  @HttpCode(200)
  @JsonBody(smallLimits(MAX_BYTES))
  @DocumentsKeyRotation()
  rotate(
    @Repeatable() request: RepeatableRequest,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<NewKeyRecord> {
    return request.answer(this.keys.rotate(id, body, request));
  }
}
