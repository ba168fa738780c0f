import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Actor } from '@app/audit';
import type { Response } from 'express';
import { ChangedBy } from '../http/auth/actor.js';
import { NeedsScope } from '../http/auth/scope.js';
import { JsonBody } from '../http/body/body.interceptor.js';
import { smallLimits } from '../http/body/json-body.js';
import { IdempotencyKey, markReplay, toIdempotency } from '../http/idempotency.js';
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
    @ChangedBy() by: Actor,
    @IdempotencyKey() key: string | undefined,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ): Promise<NewKeyRecord> {
    const idempotency = toIdempotency(key, 'POST /v1/admin/keys', body);
    const { record, replayed } = await this.keys.create(body, { by, idempotency });
    markReplay(response, replayed);
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
  async rotate(
    @ChangedBy() by: Actor,
    @IdempotencyKey() key: string | undefined,
    @Param('id') id: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ): Promise<NewKeyRecord> {
    const idempotency = toIdempotency(key, `POST /v1/admin/keys/${id}/rotate`, body ?? {});
    const { record, replayed } = await this.keys.rotate(id, body, { by, idempotency });
    markReplay(response, replayed);
    return record;
  }
}
