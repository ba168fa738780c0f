import { Module } from '@nestjs/common';
import { AuditModule } from '@app/audit';
import { Env, secretBoxOf } from '@app/config';
import { DatabaseModule } from '@app/database';
import { SecretBox } from '@app/kernel';
import { LinkKeysService } from './link-keys.service.js';
import { SigningSecretRepository } from './signing-secret.repository.js';
import { SigningSecretsService } from './signing-secrets.service.js';

/** The secrets that sign links. Separate from AuthModule, because it needs the key that opens secrets. */
@Module({
  imports: [AuditModule, DatabaseModule],
  providers: [
    LinkKeysService,
    SigningSecretRepository,
    SigningSecretsService,
    { provide: SecretBox, inject: [Env], useFactory: secretBoxOf },
  ],
  exports: [LinkKeysService, SigningSecretsService],
})
export class SigningModule {}
