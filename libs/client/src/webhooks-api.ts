import { jsonConsumer } from './answers.js';
import { pathOf } from './checks.js';
import {
  getDelivery,
  getWebhookSecret,
  listDeliveries,
  replayDelivery,
  rotateWebhookSecret,
  testWebhook,
  type DeliveryItem,
  type DeliveryList,
  type DeliveryRecord,
  type ListDeliveriesData,
  type WebhookSecret,
  type WebhookTestRequest,
} from './generated/openapi/index.js';
import { PAGE_ITEMS, pages } from './pages.js';
import type { CallOptions, Transport, Wire } from './transport.js';
import { verifyWebhook } from './verify-webhook.js';

/** Which deliveries, and how many in each request. */
export type DeliveryFilters = NonNullable<ListDeliveriesData['query']>;

/** The webhooks of the account: their deliveries and their secret. */
export class WebhooksApi {
  /** Verifies a webhook that was received and returns its event. */
  readonly verify = verifyWebhook;

  constructor(private readonly transport: Transport) {}

  /** All deliveries that the filters find, newest first. They are requested page by page, as far as they are read. */
  deliveries(filters: Omit<DeliveryFilters, 'cursor'> = {}, call?: CallOptions): AsyncIterable<DeliveryItem> {
    return pages((cursor) =>
      this.deliveryPage({ limit: PAGE_ITEMS, ...filters, ...(cursor !== undefined && { cursor }) }, call),
    );
  }

  /** One page of the deliveries, and the cursor of the next one. */
  async deliveryPage(filters: DeliveryFilters = {}, call?: CallOptions): Promise<DeliveryList> {
    const { data } = await listDeliveries({ ...this.json(call), query: filters });
    return data;
  }

  /** A delivery with the log of its attempts and its body. */
  async delivery(id: string, call?: CallOptions): Promise<DeliveryRecord> {
    const { data } = await getDelivery({ ...this.json(call), path: pathOf({ id }) });
    return data;
  }

  /** Sends a delivery again at once under the same id; the schedule of its attempts restarts. */
  async replay(id: string, call?: CallOptions): Promise<DeliveryRecord> {
    const { data } = await replayDelivery({ ...this.json(call), path: pathOf({ id }) });
    return data;
  }

  /** The secret that signs the webhooks of the account, and how long the previous one also signs. */
  async secret(call?: CallOptions): Promise<WebhookSecret> {
    const { data } = await getWebhookSecret(this.json(call));
    return data;
  }

  /** Creates a new secret; the previous one also signs for 24 hours, and a still earlier one no longer. */
  async rotateSecret(call?: CallOptions): Promise<WebhookSecret> {
    const { data } = await rotateWebhookSecret(this.json(call));
    return data;
  }

  /** Sends the event `webhook.test` to a URL once; `delivery` shows how the endpoint has responded. */
  async test(endpoint: WebhookTestRequest, call?: CallOptions): Promise<DeliveryRecord> {
    const { data } = await testWebhook({ ...this.json(call), body: endpoint });
    return data;
  }

  private json(call: CallOptions = {}): Wire {
    return this.transport.wire({ call, consume: jsonConsumer });
  }
}
