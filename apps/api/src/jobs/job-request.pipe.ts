import { Injectable, type PipeTransform } from '@nestjs/common';
import { DefaultOptions, deferredFaults, parserWith } from '@app/capture';
import { invalidRequest } from '@app/kernel';
import { WebhookField } from '../webhooks/webhook-target.service.js';

const readJobRequest = parserWith(WebhookField);
export type JobRequest = ReturnType<typeof readJobRequest>;

/** Parses the body of `POST /v1/jobs`: the options of a capture, and the address of its webhook. */
@Injectable()
export class JobRequestPipe implements PipeTransform<unknown, JobRequest> {
  constructor(private readonly defaults: DefaultOptions) {}

  /** @throws AppError `invalid_request` */
  transform(raw: unknown): JobRequest {
    const request = readJobRequest(raw, this.defaults);
    const faults = deferredFaults(request.given, '');
    if (faults.length > 0) throw invalidRequest(faults);
    return request;
  }
}
