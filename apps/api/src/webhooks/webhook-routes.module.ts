import { Module } from '@nestjs/common';
import { OutboundModule } from '@app/outbound';
import { WebhookSecretsModule, WebhooksModule } from '@app/webhooks';
import { WebhookDeliveriesService } from './webhook-deliveries.service.js';
import { WebhookTargetService } from './webhook-target.service.js';
import { WebhooksController } from './webhooks.controller.js';

/** `/v1/webhooks`: the deliveries, the secret and tests; and what validates the webhook address of other requests. */
@Module({
  imports: [OutboundModule, WebhookSecretsModule, WebhooksModule],
  controllers: [WebhooksController],
  providers: [WebhookDeliveriesService, WebhookTargetService],
  exports: [WebhookTargetService],
})
export class WebhookRoutesModule {}
