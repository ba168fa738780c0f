import { Module } from '@nestjs/common';
import { OutboundModule } from '@app/outbound';
import { WebhookSendingModule } from '@app/webhooks';
import { WorkerMetricsModule } from '../metrics/worker-metrics.module.js';
import { MailSenderService } from './mail-sender.service.js';
import { WebhookDeliveryService } from './webhook-delivery.service.js';
import { WebhookSenderService } from './webhook-sender.service.js';

/** Sends webhooks to callers' endpoints, and messages to people. */
@Module({
  imports: [OutboundModule, WebhookSendingModule, WorkerMetricsModule],
  providers: [MailSenderService, WebhookDeliveryService, WebhookSenderService],
})
export class WebhookSenderModule {}
