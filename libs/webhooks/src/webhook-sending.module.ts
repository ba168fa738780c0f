import { Module } from '@nestjs/common';
import { Env, secretBoxOf } from '@app/config';
import { DatabaseModule } from '@app/database';
import { SecretBox } from '@app/kernel';
import { OutboxService } from './outbox.service.js';
import { WebhookSecretRepository } from './webhook-secret.repository.js';
import { OutboxRepository } from './outbox.repository.js';
import { WebhookSecretsService } from './webhook-secrets.service.js';

/** The sending of webhooks. Separate from WebhooksModule, because it needs the key that opens secrets. */
@Module({
  imports: [DatabaseModule],
  providers: [
    OutboxService,
    WebhookSecretRepository,
    OutboxRepository,
    WebhookSecretsService,
    { provide: SecretBox, inject: [Env], useFactory: secretBoxOf },
  ],
  exports: [OutboxService, WebhookSecretsService],
})
export class WebhookSendingModule {}
