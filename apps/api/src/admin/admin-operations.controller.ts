import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Actor } from '@app/audit';
import { Env } from '@app/config';
import { HealthHistoryRepository } from '@app/health';
import { Clock } from '@app/kernel';
import type { BatchRecord } from '../bulk/batch.response.js';
import { ChangedBy } from '../http/auth/actor.js';
import { NeedsScope } from '../http/auth/scope.js';
import { queryOf } from '../http/parse.pipe.js';
import {
  DocumentsBatchCancellation,
  DocumentsHealthHistory,
  DocumentsQueue,
  DocumentsSettings,
  DocumentsWorkerDrain,
  DocumentsWorkerResume,
  DocumentsWorkers,
} from './admin-operations.docs.js';
import { HealthHistoryQuery, QueueQuery } from './admin.query.js';
import { BatchAdministrationService } from './batch-administration.service.js';
import { toHealthHistory, type HealthHistory } from './health-history.response.js';
import { QueueAdministrationService } from './queue-administration.service.js';
import type { QueueOverview } from './queue.response.js';
import { toSettingList, type SettingList } from './setting.response.js';
import { WorkerAdministrationService } from './worker-administration.service.js';
import type { WorkerList, WorkerRecord } from './worker.response.js';

const DAY_MS = 86_400_000;

/** The running service, for operators: its workers, its queue, its settings and its health. */
@ApiTags('Operators')
@Controller('v1/admin')
@NeedsScope('admin')
export class AdminOperationsController {
  constructor(
    private readonly workers: WorkerAdministrationService,
    private readonly queue: QueueAdministrationService,
    private readonly batches: BatchAdministrationService,
    private readonly history: HealthHistoryRepository,
    private readonly env: Env,
    private readonly clock: Clock,
  ) {}

  @Get('workers')
  @DocumentsWorkers()
  listWorkers(): Promise<WorkerList> {
    return this.workers.list();
  }

  @Post('workers/:id/drain')
  @HttpCode(200)
  @DocumentsWorkerDrain()
  drain(@ChangedBy() by: Actor, @Param('id') id: string): Promise<WorkerRecord> {
    return this.workers.setDrain(id, true, by);
  }

  @Post('workers/:id/resume')
  @HttpCode(200)
  @DocumentsWorkerResume()
  resume(@ChangedBy() by: Actor, @Param('id') id: string): Promise<WorkerRecord> {
    return this.workers.setDrain(id, false, by);
  }

  @Get('queue')
  @DocumentsQueue()
  showQueue(@Query(queryOf(QueueQuery)) { account_id: accountId }: QueueQuery): Promise<QueueOverview> {
    return this.queue.read(accountId);
  }

  @Post('batches/:id/cancel')
  @HttpCode(200)
  @DocumentsBatchCancellation()
  cancelBatch(@ChangedBy() by: Actor, @Param('id') id: string): Promise<BatchRecord> {
    return this.batches.cancel(id, by);
  }

  @Get('settings')
  @DocumentsSettings()
  listSettings(): SettingList {
    return toSettingList(this.env);
  }

  @Get('health')
  @DocumentsHealthHistory()
  async showHealth(@Query(queryOf(HealthHistoryQuery)) { days }: HealthHistoryQuery): Promise<HealthHistory> {
    const until = this.clock.now();
    const since = new Date(until.getTime() - days * DAY_MS);
    return toHealthHistory(await this.history.listSince(since), since, until);
  }
}
