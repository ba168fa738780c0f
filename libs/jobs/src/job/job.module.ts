import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Env, secretBoxOf } from '@app/config';
import { SecretBox } from '@app/kernel';
import { WebhooksModule } from '@app/webhooks';
import { EarlierCaptureRepository } from './earlier-capture.repository.js';
import { EndedJobRepository } from './ended-job.repository.js';
import { FileLinksService } from './file-links.service.js';
import { Job } from './job.entity.js';
import { JobAnnouncerService } from './job-announcer.service.js';
import { JobRepository } from './job.repository.js';
import { QueuePositionRepository } from './queue-position.repository.js';
import { ResultLifeRepository } from './result-life.repository.js';

/** The rows of jobs, their positions in the queue, and the key that seals their secrets. */
@Module({
  imports: [TypeOrmModule.forFeature([Job]), WebhooksModule],
  providers: [
    EarlierCaptureRepository,
    EndedJobRepository,
    FileLinksService,
    JobAnnouncerService,
    JobRepository,
    QueuePositionRepository,
    ResultLifeRepository,
    { provide: SecretBox, inject: [Env], useFactory: secretBoxOf },
  ],
  exports: [
    EarlierCaptureRepository,
    EndedJobRepository,
    FileLinksService,
    JobAnnouncerService,
    JobRepository,
    QueuePositionRepository,
    ResultLifeRepository,
    SecretBox,
  ],
})
export class JobModule {}
