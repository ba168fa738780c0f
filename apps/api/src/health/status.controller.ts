import { applyDecorators, Controller, Get } from '@nestjs/common';
import type { Caller } from '@app/auth';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Sender } from '../http/auth/caller.js';
import { NeedsScope } from '../http/auth/scope.js';
import { ServiceStatusService } from './service-status.service.js';
import { ServiceStatus } from './status.response.js';

const DocumentsStatus = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Show the status',
      description:
        'The health, the versions, the workers and the queue, read at most once a second. A key with the scope `admin` sees the workers and the queue of the whole service; others see their own captures in `queue`, and no workers. It names no host and no account.',
      operationId: 'getStatus',
    }),
    ApiResponse({ status: 200, type: ServiceStatus }),
  );

@ApiTags('Service')
@Controller('v1/status')
export class StatusController {
  constructor(private readonly status: ServiceStatusService) {}

  @Get()
  @NeedsScope('any')
  @DocumentsStatus()
  show(@Sender() { accountId, scopes }: Caller): Promise<ServiceStatus> {
    return scopes.includes('admin') ? this.status.read() : this.status.readFor(accountId);
  }
}
