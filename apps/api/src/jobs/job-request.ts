import { parserBeside } from '@app/capture';
import { WebhookField } from './webhook-target.service.js';

/** Reads the body of `POST /v1/jobs`: the options of a capture and where its end is told. */
export const parseJobRequest = parserBeside(WebhookField);
export type JobRequest = ReturnType<typeof parseJobRequest>;
