import { Module } from '@nestjs/common';
import { AuthModule } from '@app/auth';
import { UsageModule } from '@app/usage';
import { HttpModule } from '../http/http.module.js';
import { ConsoleAccessService } from './console-access.service.js';
import { ConsoleSessionController } from './console-session.controller.js';
import { LogInsController } from './log-ins.controller.js';

/** The sessions of the console; serve-console.ts serves its pages. */
@Module({
  imports: [AuthModule, HttpModule, UsageModule],
  controllers: [ConsoleSessionController, LogInsController],
  providers: [ConsoleAccessService],
})
export class ConsoleModule {}
