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
    // The browser is optional: the rest is known without the database.
    const workers = await this.workers.list().catch(() => []);
    return { api_version: 'v1', ...BUILD, node: process.version, browser: workers[0]?.browser ?? null };
  }
}
