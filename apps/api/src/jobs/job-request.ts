import { deferredFaults, parserWith } from '@app/capture';
import { invalidRequest } from '@app/kernel';
import { WebhookField } from './webhook-target.service.js';

/** Reads the body of `POST /v1/jobs`: the options of a capture and where its end is told. */
export function parseJobRequest(raw: unknown): ReturnType<typeof readJobRequest> {
  const request = readJobRequest(raw);
  const faults = deferredFaults(request.given, '');
  if (faults.length > 0) throw invalidRequest(faults);
  return request;
}

const readJobRequest = parserWith(WebhookField);
export type JobRequest = ReturnType<typeof parseJobRequest>;
