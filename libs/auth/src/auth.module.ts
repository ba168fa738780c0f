import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '@app/audit';
import { DatabaseModule } from '@app/database';
import { ApiKey } from './api-key.entity.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { ApiKeysService } from './api-keys.service.js';
import { AuthService } from './auth.service.js';
import { ConsoleSessionRepository } from './console-session.repository.js';
import { ConsoleSessionsService } from './console-sessions.service.js';
import { PersonKeysService } from './person-keys.service.js';

@Module({
  imports: [AuditModule, DatabaseModule, TypeOrmModule.forFeature([ApiKey])],
  providers: [
    ApiKeyRepository,
    ApiKeysService,
    AuthService,
    ConsoleSessionRepository,
    ConsoleSessionsService,
    PersonKeysService,
  ],
  exports: [ApiKeysService, AuthService, ConsoleSessionsService, PersonKeysService],
})
export class AuthModule {}
