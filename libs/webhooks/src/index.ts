/**
 * Webhooks: tells a caller's endpoint what happened, at least once, by Standard Webhooks 1.0. Events are written in the
 * transaction of what they tell of, so none is lost and none is told of what was rolled back. It knows nothing of
 * captures and batches but their ids, and sends nothing itself.
 */
export { DELIVERY_STATES, type DeliveryState, type WebhookDelivery } from './webhook-delivery.entity.js';
export { DeliveryRepository, type Backlog } from './delivery.repository.js';
export { OutboxService, TRY_TIMEOUT_MS } from './outbox.service.js';
export { WebhookSendingModule } from './webhook-sending.module.js';
export type { HeldDelivery } from './sending.repository.js';
export { WebhookSecretsService } from './webhook-secrets.service.js';
export {
  waitingSummary,
  WebhooksService,
  type Announcement,
  type WebhookSummary,
} from './webhooks.service.js';
export { WebhooksModule } from './webhooks.module.js';
