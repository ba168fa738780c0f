import { FORMATS, type CaptureOptions } from '@app/capture';
import type { Job } from '@app/jobs';
import type { Request } from 'express';
import { ARCHIVE_TYPE } from '../captures/archive.service.js';

const JSON_TYPE = 'application/json';

type AnswerKind = CaptureOptions['response'];

/** What the caller receives: the option decides unless it has its default; then `Accept` does, as far as it says something. */
export function kindOfAnswer(job: Job, response: AnswerKind, request: Request): AnswerKind {
  if (response !== 'file') return response;
  return hasSeveralOutputs(job) ? kindOfSeveral(request) : kindOfOne(job, request);
}

/** No single file would be the answer: it is the record, unless the caller prefers an archive to JSON. */
function kindOfSeveral(request: Request): 'json' | 'zip' {
  return request.accepts([JSON_TYPE, ARCHIVE_TYPE]) === ARCHIVE_TYPE ? 'zip' : 'json';
}

/**
 * Many clients send `application/json` beside a wildcard by default; only one that accepts no file prefers JSON. None sends
 * `application/zip` by default, so that it counts as far as the caller ranks it.
 */
function kindOfOne({ format }: Job, request: Request): AnswerKind {
  const { contentType } = FORMATS[format];
  const [fileType = contentType] = contentType.split(';');
  const acceptsFile = request.accepts(fileType) !== false;
  const accepted = request.accepts(acceptsFile ? [fileType, ARCHIVE_TYPE] : [JSON_TYPE, ARCHIVE_TYPE]);
  if (accepted === ARCHIVE_TYPE) return 'zip';
  return accepted === JSON_TYPE ? 'json' : 'file';
}

function hasSeveralOutputs({ options: { outputs } }: Job): boolean {
  return Array.isArray(outputs) && outputs.length > 1;
}
