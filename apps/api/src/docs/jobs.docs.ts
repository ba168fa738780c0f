import { applyDecorators } from '@nestjs/common';
import { ApiOperation, ApiResponse } from '@nestjs/swagger';
import { JobRecord } from '../jobs/job.response.js';
import { WaitQuery } from '../jobs/wait.query.js';
import { ApiId } from './captures.docs.js';
import { ApiProblems } from './problems.docs.js';
import { ApiQueryOf } from './query.docs.js';

export const DocumentsJob = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Show a job',
      description: 'With `wait`, the answer comes as soon as the job has a final status.',
      operationId: 'getJob',
    }),
    ApiId(),
    ApiQueryOf(WaitQuery),
    ApiResponse({ status: 200, type: JobRecord }),
    ApiProblems('invalid_request', 'not_found'),
  );
