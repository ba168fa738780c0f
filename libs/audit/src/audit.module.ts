import { Module } from '@nestjs/common';
import { DatabaseModule } from '@app/database';
import { AuditRepository } from './audit.repository.js';

@Module({ imports: [DatabaseModule], providers: [AuditRepository], exports: [AuditRepository] })
export class AuditModule {}
