import { Module } from '@nestjs/common';
import { OutboundModule } from '@app/outbound';
import { WebhookTargetService } from './webhook-target.service.js';

/** Validates the webhook address of a request. */
@Module({
  imports: [OutboundModule],
  providers: [WebhookTargetService],
  exports: [WebhookTargetService],
})
export class WebhookTargetModule {}
