import { Module } from '@nestjs/common';
import { DatabaseModule } from '@app/database';
import { JobAcceptanceModule, JobModule } from '@app/jobs';
import { UsageModule } from '@app/usage';
import { WebhooksModule } from '@app/webhooks';
import { MonitorChecksModule } from './monitor-checks.module.js';
import { MonitorChangeService } from './monitor-change.service.js';
import { MonitorControlService } from './monitor-control.service.js';
import { MonitorLockService } from './monitor-lock.service.js';
import { MonitorRecordsService } from './monitor-records.service.js';
import { MonitorRepository } from './monitor.repository.js';
import { MonitorsService } from './monitors.service.js';
import { PageFactory } from './page.factory.js';

/** What callers do with monitors. */
@Module({
  imports: [DatabaseModule, JobAcceptanceModule, JobModule, MonitorChecksModule, UsageModule, WebhooksModule],
  providers: [
    MonitorChangeService,
    MonitorControlService,
    MonitorLockService,
    MonitorRecordsService,
    MonitorRepository,
    MonitorsService,
    PageFactory,
  ],
  exports: [MonitorChangeService, MonitorControlService, MonitorRecordsService, MonitorsService],
})
export class MonitorsModule {}
