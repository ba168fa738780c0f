import { applyDecorators, Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { WorkerRegistryService } from '@app/jobs';
import { Public } from '../http/auth/caller.js';
import { describeVersion } from './service-version.js';
import { ServiceVersion } from './version.response.js';

const DocumentsVersion = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({ summary: 'Show the version', operationId: 'getVersion' }),
    ApiResponse({ status: 200, type: ServiceVersion }),
  );

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
