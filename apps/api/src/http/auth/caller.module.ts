import { Module } from '@nestjs/common';
import { AuthModule } from '@app/auth';
import { CallerService } from './caller.service.js';

/** Finds the callers of requests. */
@Module({ imports: [AuthModule], providers: [CallerService], exports: [CallerService] })
export class CallerModule {}
