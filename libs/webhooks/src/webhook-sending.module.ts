import { Module } from '@nestjs/common';
import { DatabaseModule } from '@app/database';
import { OutboxRepository } from './outbox.repository.js';
import { OutboxService } from './outbox.service.js';
import { WebhookSecretsModule } from './webhook-secrets.module.js';

/** The sending of webhooks. */
@Module({
  imports: [DatabaseModule, WebhookSecretsModule],
  providers: [OutboxService, OutboxRepository],
  exports: [OutboxService, WebhookSecretsModule],
})
export class WebhookSendingModule {}
