/**
 * Webhooks: notifies callers' endpoints at least once, by Standard Webhooks 1.0, and people in chats and by mail. An event is written in the transaction of
 * the change that it announces, so that none is lost and none announces what was rolled back. It knows captures and
 * batches only by their ids, and sends nothing itself.
 */
export { CHANNELS, type Channel, type NoticeChannel, type Receiver } from './channels/channel.js';
export { readMail, type Mail } from './channels/mail.js';
export type { Notice, NoticePicture } from './channels/notice.js';
export { NoticesModule } from './channels/notices.module.js';
export { NoticesService } from './channels/notices.service.js';
export { statusOf, type AttemptOutcome, type MailOutcome } from './delivery-verdict.js';
export { DELIVERY_STATES, type DeliveryState, type WebhookDelivery } from './webhook-delivery.entity.js';
export { EVENT_TYPES, subjectKindOf, SUBJECT_KINDS, type SubjectKind } from './event-types.js';
export {
  DeliveryHistoryRepository,
  type DeliveryHistoryFilter,
  type ListedDelivery,
} from './delivery-history.repository.js';
export { DeliveryRepository, type Backlog } from './delivery.repository.js';
export { OutboxService, ATTEMPT_TIMEOUT_MS } from './outbox.service.js';
export { WebhookSendingModule } from './webhook-sending.module.js';
export type { ClaimedDelivery } from './outbox.repository.js';
export { WebhookSecretsModule } from './webhook-secrets.module.js';
export { WebhookSecretsService, type WebhookSecret } from './webhook-secrets.service.js';
export {
  waitingSummary,
  WebhooksService,
  type Announcement,
  type Quoting,
  type WebhookSummary,
} from './webhooks.service.js';
export { WebhooksModule } from './webhooks.module.js';
