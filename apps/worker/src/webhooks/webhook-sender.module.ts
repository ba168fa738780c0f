import { Module } from '@nestjs/common';
import { OutboundModule } from '@app/outbound';
import { WebhookSendingModule } from '@app/webhooks';
import { WorkerMetricsModule } from '../metrics/worker-metrics.module.js';
import { WebhookDeliveryService } from './webhook-delivery.service.js';
import { WebhookSenderService } from './webhook-sender.service.js';

/** Sends webhooks to callers' endpoints. */
@Module({
  imports: [OutboundModule, WebhookSendingModule, WorkerMetricsModule],
  providers: [WebhookDeliveryService, WebhookSenderService],
})
export class WebhookSenderModule {}
