import { Module } from '@nestjs/common';
import { Env, secretBoxOf } from '@app/config';
import { DatabaseModule } from '@app/database';
import { SecretBox } from '@app/kernel';
import { OutboxService } from './outbox.service.js';
import { WebhookSecretRepository } from './webhook-secret.repository.js';
import { SendingRepository } from './sending.repository.js';
import { WebhookSecretsService } from './webhook-secrets.service.js';

/** What sending needs beyond announcing, the key that opens the secrets among it. */
@Module({
  imports: [DatabaseModule],
  providers: [
    OutboxService,
    WebhookSecretRepository,
    SendingRepository,
    WebhookSecretsService,
    { provide: SecretBox, inject: [Env], useFactory: secretBoxOf },
  ],
  exports: [OutboxService, WebhookSecretsService],
})
export class WebhookSendingModule {}
