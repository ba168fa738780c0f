import { Module } from '@nestjs/common';
import { Env, secretBoxOf } from '@app/config';
import { DatabaseModule } from '@app/database';
import { SecretBox } from '@app/kernel';
import { OutboxRepository } from './outbox.repository.js';
import { OutboxService } from './outbox.service.js';
import { WebhookSecretsModule } from './webhook-secrets.module.js';

/** The sending of what is in the outbox. */
@Module({
  imports: [DatabaseModule, WebhookSecretsModule],
  providers: [
    OutboxService,
    OutboxRepository,
    { provide: SecretBox, inject: [Env], useFactory: secretBoxOf },
  ],
  exports: [OutboxService, WebhookSecretsModule],
})
export class WebhookSendingModule {}
