import { Injectable } from '@nestjs/common';
import { AppError, isId } from '@app/kernel';
import {
  DeliveryHistoryRepository,
  DeliveryRepository,
  WebhooksService,
  type WebhookDelivery,
} from '@app/webhooks';
import { pageOf } from '../http/page.query.js';
import { filterOf, type DeliveriesQuery } from './deliveries.query.js';
import {
  toDeliveryItem,
  toDeliveryRecord,
  type DeliveryList,
  type DeliveryRecord,
} from './delivery.response.js';
import { WebhookTargetService } from './webhook-target.service.js';

/** Shows the deliveries of an account, and sends them again. */
@Injectable()
export class WebhookDeliveriesService {
  constructor(
    private readonly history: DeliveryHistoryRepository,
    private readonly deliveries: DeliveryRepository,
    private readonly webhooks: WebhooksService,
    private readonly targets: WebhookTargetService,
  ) {}

  async list(accountId: string, query: DeliveriesQuery): Promise<DeliveryList> {
    const page = await this.history.list(accountId, filterOf(query), pageOf(query));
    return { items: page.items.map(toDeliveryItem), next_cursor: page.nextCursor };
  }

  /** @throws AppError `not_found` for an unknown id, and for the id of another account's delivery */
  async show(accountId: string, id: string): Promise<DeliveryRecord> {
    return toDeliveryRecord(await this.find(accountId, id));
  }

  /** @throws AppError `not_found`, and `invalid_request` or `target_forbidden` if its URL is no longer accepted */
  async replay(accountId: string, id: string): Promise<DeliveryRecord> {
    const { channel, url } = await this.find(accountId, id);
    // Only the worker can read the address of another channel; its guard refuses what is no longer accepted.
    if (channel === 'webhook') this.targets.admit(url, 'url');
    await this.deliveries.replayOnce(accountId, id);
    return this.show(accountId, id);
  }

  /** @throws AppError `invalid_request`, `target_forbidden` */
  async test(accountId: string, url: string): Promise<DeliveryRecord> {
    const id = await this.webhooks.announceTest(accountId, this.targets.admit(url, 'url'));
    return this.show(accountId, id);
  }

  private async find(accountId: string, id: string): Promise<WebhookDelivery> {
    const delivery = isId(id) ? await this.history.find(accountId, id) : null;
    if (!delivery) throw new AppError('not_found', { detail: 'There is no delivery with this id.' });
    return delivery;
  }
}
