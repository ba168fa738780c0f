import { Module } from '@nestjs/common';
import { AuditModule } from '@app/audit';
import { Env, secretBoxOf } from '@app/config';
import { DatabaseModule } from '@app/database';
import { SecretBox } from '@app/kernel';
import { WebhookSecretRepository } from './webhook-secret.repository.js';
import { WebhookSecretsService } from './webhook-secrets.service.js';

/** The secrets that sign webhooks. Separate from WebhooksModule, because it needs the key that opens secrets. */
@Module({
  imports: [AuditModule, DatabaseModule],
  providers: [
    WebhookSecretRepository,
    WebhookSecretsService,
    { provide: SecretBox, inject: [Env], useFactory: secretBoxOf },
  ],
  exports: [WebhookSecretsService],
})
export class WebhookSecretsModule {}
