import { Module } from '@nestjs/common';
import { WebhookSecretsModule, WebhooksModule } from '@app/webhooks';
import { WebhookDeliveriesService } from './webhook-deliveries.service.js';
import { WebhookTargetModule } from './webhook-target.module.js';
import { WebhooksController } from './webhooks.controller.js';

/** `/v1/webhooks`: the deliveries, the secret and tests. */
@Module({
  imports: [WebhookSecretsModule, WebhooksModule, WebhookTargetModule],
  controllers: [WebhooksController],
  providers: [WebhookDeliveriesService],
})
export class WebhookRoutesModule {}
