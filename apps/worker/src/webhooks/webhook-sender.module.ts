import { Module } from '@nestjs/common';
import { OutboundModule } from '@app/outbound';
import { WebhookSendingModule } from '@app/webhooks';
import { WorkerMetricsModule } from '../metrics/worker-metrics.module.js';
import { WebhookDeliveryService } from './webhook-delivery.service.js';
import { WebhookSenderService } from './webhook-sender.service.js';

/** Tells callers' endpoints what happened to their captures. */
@Module({
  imports: [OutboundModule, WebhookSendingModule, WorkerMetricsModule],
  providers: [WebhookDeliveryService, WebhookSenderService],
})
export class WebhookSenderModule {}
