import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { WorkerRegistryService } from '@app/jobs';
import { DocumentsVersion } from './version.docs.js';
import { Public } from '../http/auth/caller.js';
import { describeVersion } from './describe-version.js';
import type { ServiceVersion } from './version.response.js';

@ApiTags('Service')
@Public()
@Controller('v1/version')
export class VersionController {
  constructor(private readonly workers: WorkerRegistryService) {}

  @Get()
  @DocumentsVersion()
  async show(): Promise<ServiceVersion> {
    // What workers report is optional: the rest is known without the database.
    return describeVersion(await this.workers.list().catch(() => []));
  }
}
