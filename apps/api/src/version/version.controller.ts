import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { WorkerRegistryService } from '@app/jobs';
import { DocumentsVersion } from './version.docs.js';
import { Public } from '../http/auth/caller.js';
import { readBuildInfo } from './build-info.js';
import type { ServiceVersion } from './version.response.js';

const BUILD = readBuildInfo(import.meta.dirname);

@ApiTags('Service')
@Public()
@Controller('v1/version')
export class VersionController {
  constructor(private readonly workers: WorkerRegistryService) {}

  @Get()
  @DocumentsVersion()
  async show(): Promise<ServiceVersion> {
    // What workers report is optional: the rest is known without the database.
    const [worker] = await this.workers.list().catch(() => []);
    const { browser = null, filterLists = null } = worker ?? {};
    return {
      api_version: 'v1',
      ...BUILD,
      node: process.version,
      browser,
      filter_lists: filterLists && [...filterLists],
    };
  }
}
