import { applyDecorators, Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ServiceStatusService } from './service-status.service.js';
import { ServiceStatus } from './status.response.js';

const DocumentsStatus = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Show the status',
      description:
        'The health, the versions, the workers and the queue of the whole service, read at most once a second. It names no host and no account.',
      operationId: 'getStatus',
    }),
    ApiResponse({ status: 200, type: ServiceStatus }),
  );

@ApiTags('Service')
@Controller('v1/status')
export class StatusController {
  constructor(private readonly status: ServiceStatusService) {}

  @Get()
  @DocumentsStatus()
  show(): Promise<ServiceStatus> {
    return this.status.read();
  }
}
