import { Module } from '@nestjs/common';
import { Env, secretBoxOf } from '@app/config';
import { SecretBox } from '@app/kernel';
import { WebhooksModule } from '../webhooks.module.js';
import { NoticesService } from './notices.service.js';

/** Events in words. Separate from WebhooksModule, because it needs the key that seals addresses. */
@Module({
  imports: [WebhooksModule],
  providers: [NoticesService, { provide: SecretBox, inject: [Env], useFactory: secretBoxOf }],
  exports: [NoticesService],
})
export class NoticesModule {}
