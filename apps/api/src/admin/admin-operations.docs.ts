import { ApiId, ApiQueryOf } from '../openapi/parameters.docs.js';
import { BatchRecord } from '../bulk/batch.response.js';
import { documents } from './admin.docs.js';
import { HealthHistoryQuery, QueueQuery } from './admin.query.js';
import { HealthHistory } from './health-history.response.js';
import { QueueOverview } from './queue.response.js';
import { SettingList } from './setting.response.js';
import { WorkerList, WorkerRecord } from './worker.response.js';

export const DocumentsWorkers = (): MethodDecorator =>
  documents({
    summary: 'List workers',
    description:
      'The workers that are alive, with their slots and what they capture: accounts and hosts, no addresses.',
    operationId: 'listWorkers',
    type: WorkerList,
  });

export const DocumentsWorkerDrain = (): MethodDecorator =>
  documents(
    {
      summary: 'Drain a worker',
      description: `The worker takes no more captures within 5 seconds, and ends those that it has; others take over. It still sends webhooks and does
its share of the upkeep. A worker that is restarted is another one, which takes captures. A repeated request changes nothing.`,
      operationId: 'drainWorker',
      type: WorkerRecord,
      problems: ['not_found'],
    },
    ApiId(),
  );

export const DocumentsWorkerResume = (): MethodDecorator =>
  documents(
    {
      summary: 'Resume a worker',
      description: 'The worker takes captures again within 5 seconds. A repeated request changes nothing.',
      operationId: 'resumeWorker',
      type: WorkerRecord,
      problems: ['not_found'],
    },
    ApiId(),
  );

export const DocumentsQueue = (): MethodDecorator =>
  documents(
    {
      summary: 'Show the queue',
      description:
        'What waits and runs by lane, account and host, and the batches that have not ended. Reading it costs the same whatever waits.',
      operationId: 'getQueue',
      type: QueueOverview,
      problems: ['invalid_request'],
    },
    ApiQueryOf(QueueQuery),
  );

export const DocumentsBatchCancellation = (): MethodDecorator =>
  documents(
    {
      summary: 'Cancel a batch of any account',
      description:
        'As `DELETE /v1/bulk/{id}` does for the account. The rows have the `cancel_reason` `operator_request`. A repeated request has the same response.',
      operationId: 'cancelBatchOfAccount',
      type: BatchRecord,
      problems: ['not_found', 'job_finished'],
    },
    ApiId(),
  );

export const DocumentsSettings = (): MethodDecorator =>
  documents({
    summary: 'List settings',
    description:
      'Every setting of docs/configuration.md as it is in force in the API that answers, and where its value comes from. A secret is not shown: only whether it is set.',
    operationId: 'listSettings',
    type: SettingList,
  });

export const DocumentsHealthHistory = (): MethodDecorator =>
  documents(
    {
      summary: 'Show the history of health',
      description:
        'When each dependency stopped working, and when it worked again. The API probes them every 15 seconds, and writes changes only; they are kept for 30 days.',
      operationId: 'getHealthHistory',
      type: HealthHistory,
      problems: ['invalid_request'],
    },
    ApiQueryOf(HealthHistoryQuery),
  );
