import { deferredFaults, parserWith } from '@app/capture';
import { invalidRequest } from '@app/kernel';
import { WebhookField } from '../webhooks/webhook-target.service.js';

/**
 * Parses the body of `POST /v1/jobs`: the options of a capture, and the address of its webhook.
 *
 * @throws AppError `invalid_request`
 */
export function parseJobRequest(raw: unknown): ReturnType<typeof readJobRequest> {
  const request = readJobRequest(raw);
  const faults = deferredFaults(request.given, '');
  if (faults.length > 0) throw invalidRequest(faults);
  return request;
}

const readJobRequest = parserWith(WebhookField);
export type JobRequest = ReturnType<typeof parseJobRequest>;
