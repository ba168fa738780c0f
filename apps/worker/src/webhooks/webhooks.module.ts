import { Module } from '@nestjs/common';
import { Clock, SystemClock } from '@app/kernel';
import { OutboundModule } from '@app/outbound';
import { WebhookSendingModule } from '@app/webhooks';
import { WorkerMetricsModule } from '../metrics/worker-metrics.module.js';
import { DeliverWebhook } from './deliver-webhook.service.js';
import { WebhookSender } from './webhook-sender.service.js';

/** Tells callers' endpoints what happened to their captures. */
@Module({
  imports: [OutboundModule, WebhookSendingModule, WorkerMetricsModule],
  providers: [DeliverWebhook, WebhookSender, { provide: Clock, useClass: SystemClock }],
})
export class WebhookSenderModule {}
