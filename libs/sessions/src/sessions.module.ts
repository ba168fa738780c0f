import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Env, secretBoxOf } from '@app/config';
import { DatabaseModule } from '@app/database';
import { SecretBox } from '@app/kernel';
import { Session } from './session.entity.js';
import { SessionLifeRepository } from './session-life.repository.js';
import { SessionRepository } from './session.repository.js';
import { SessionSecretsService } from './session-secrets.service.js';
import { SessionUsesService } from './session-uses.service.js';

@Module({
  imports: [DatabaseModule, TypeOrmModule.forFeature([Session])],
  providers: [
    SessionLifeRepository,
    SessionRepository,
    SessionSecretsService,
    SessionUsesService,
    { provide: SecretBox, inject: [Env], useFactory: secretBoxOf },
  ],
  exports: [SessionLifeRepository, SessionRepository, SessionSecretsService, SessionUsesService],
})
export class SessionsModule {}
