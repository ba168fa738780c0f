import { Module } from '@nestjs/common';
import { Env, secretBoxOf } from '@app/config';
import { DatabaseModule } from '@app/database';
import { SecretBox } from '@app/kernel';
import { Outbox } from './outbox.service.js';
import { SecretRepository } from './secret.repository.js';
import { SendingRepository } from './sending.repository.js';
import { WebhookSecrets } from './webhook-secrets.service.js';

/** What sending needs beyond announcing, the key that opens the secrets among it. */
@Module({
  imports: [DatabaseModule],
  providers: [
    Outbox,
    SecretRepository,
    SendingRepository,
    WebhookSecrets,
    { provide: SecretBox, inject: [Env], useFactory: secretBoxOf },
  ],
  exports: [Outbox, WebhookSecrets],
})
export class WebhookSendingModule {}
