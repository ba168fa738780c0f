import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DatabaseModule } from '@app/database';
import { JobIntakeModule, JobModule } from '@app/jobs';
import { NoticesModule, WebhooksModule } from '@app/webhooks';
import { CheckRepository } from './check.repository.js';
import { MonitorCaptureFactory } from './monitor-capture.factory.js';
import { MonitorCheck } from './monitor-check.entity.js';
import { MonitorPage } from './monitor-page.entity.js';
import { Monitor } from './monitor.entity.js';
import { ChangeLinksService } from './outcomes/change-links.service.js';
import { MonitorAnnouncerService } from './outcomes/monitor-announcer.service.js';
import { OpenCheckRepository } from './outcomes/open-check.repository.js';
import { OutcomeService } from './outcomes/outcome.service.js';
import { SettlementRepository } from './outcomes/settlement.repository.js';
import { SettlementService } from './outcomes/settlement.service.js';
import { ReceiversService } from './receivers.service.js';
import { CheckIntakeService } from './scheduling/check-intake.service.js';
import { DueMonitorRepository } from './scheduling/due-monitor.repository.js';
import { SchedulerService } from './scheduling/scheduler.service.js';

/** The checks of monitors: scheduling them and ending them. Any process may do both. */
@Module({
  imports: [
    DatabaseModule,
    JobIntakeModule,
    JobModule,
    NoticesModule,
    WebhooksModule,
    TypeOrmModule.forFeature([Monitor, MonitorCheck, MonitorPage]),
  ],
  providers: [
    ChangeLinksService,
    CheckIntakeService,
    CheckRepository,
    DueMonitorRepository,
    MonitorAnnouncerService,
    MonitorCaptureFactory,
    OpenCheckRepository,
    OutcomeService,
    ReceiversService,
    SchedulerService,
    SettlementRepository,
    SettlementService,
  ],
  exports: [
    CheckIntakeService,
    CheckRepository,
    DueMonitorRepository,
    OutcomeService,
    ReceiversService,
    SchedulerService,
    SettlementService,
  ],
})
export class MonitorChecksModule {}
