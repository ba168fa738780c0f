import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Actor } from '@app/audit';
import { WebhookSecretsService } from '@app/webhooks';
import type { Response } from 'express';
import { ChangedBy } from '../http/auth/actor.js';
import { AccountId } from '../http/auth/caller.js';
import { NeedsScope } from '../http/auth/scope.js';
import { JsonBody } from '../http/body/body.interceptor.js';
import { smallLimits } from '../http/body/json-body.js';
import { queryOf } from '../http/parse.pipe.js';
import { DeliveriesQuery } from './deliveries.query.js';
import {
  toWebhookSecret,
  type DeliveryList,
  type DeliveryRecord,
  type WebhookSecret,
} from './delivery.response.js';
import { WebhookDeliveriesService } from './webhook-deliveries.service.js';
import { testedUrlOf } from './webhook-test.request.js';
import {
  DocumentsDeliveries,
  DocumentsDelivery,
  DocumentsReplay,
  DocumentsRotation,
  DocumentsSecret,
  DocumentsTest,
} from './webhooks.docs.js';

/** A test has one URL. */
const MAX_TEST_BYTES = 16_384;

/** The webhooks of an account: their deliveries, their secret, and tests of an endpoint. */
@ApiTags('Webhooks')
@Controller('v1/webhooks')
export class WebhooksController {
  constructor(
    private readonly deliveries: WebhookDeliveriesService,
    private readonly secrets: WebhookSecretsService,
  ) {}

  @Get('deliveries')
  @NeedsScope('read')
  @DocumentsDeliveries()
  list(
    @AccountId() accountId: string,
    @Query(queryOf(DeliveriesQuery)) query: DeliveriesQuery,
  ): Promise<DeliveryList> {
    return this.deliveries.list(accountId, query);
  }

  @Get('deliveries/:id')
  @NeedsScope('read')
  @DocumentsDelivery()
  find(@AccountId() accountId: string, @Param('id') id: string): Promise<DeliveryRecord> {
    return this.deliveries.show(accountId, id);
  }

  @Post('deliveries/:id/replay')
  @NeedsScope('capture')
  @HttpCode(202)
  @DocumentsReplay()
  replay(@AccountId() accountId: string, @Param('id') id: string): Promise<DeliveryRecord> {
    return this.deliveries.replay(accountId, id);
  }

  @Get('secret')
  @NeedsScope('capture')
  @DocumentsSecret()
  async secret(@AccountId() accountId: string): Promise<WebhookSecret> {
    return toWebhookSecret(await this.secrets.show(accountId));
  }

  @Post('secret')
  @NeedsScope('capture')
  @HttpCode(200)
  @DocumentsRotation()
  async rotate(@AccountId() accountId: string, @ChangedBy() by: Actor): Promise<WebhookSecret> {
    await this.secrets.rotate(accountId, by);
    return toWebhookSecret(await this.secrets.show(accountId));
  }

  @Post('test')
  @NeedsScope('capture')
  @HttpCode(202)
  @JsonBody(smallLimits(MAX_TEST_BYTES))
  @DocumentsTest()
  async test(
    @AccountId() accountId: string,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DeliveryRecord> {
    const record = await this.deliveries.test(accountId, testedUrlOf(body));
    response.location(`/v1/webhooks/deliveries/${record.id}`);
    return record;
  }
}
