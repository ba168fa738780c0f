import { Injectable } from '@nestjs/common';
import {
  comparableOutputs,
  restoreOptions,
  statedOptions,
  type CaptureOptions,
  type ComparedOutput,
} from '@app/capture';
import { isId, type Fault } from '@app/kernel';
import { EarlierCaptureRepository } from '../job/earlier-capture.repository.js';
import { earlierOutput } from '../job/earlier-file.js';
import type { Job } from '../job/job.entity.js';
import { isFinal } from '../job/job-state.js';

/** Checks whether captures can be compared with the ones whose ids their callers give. */
@Injectable()
export class ComparisonCheckService {
  constructor(private readonly earlier: EarlierCaptureRepository) {}

  /** Returns for each capture why it cannot be compared as asked, or undefined. One query reads all earlier captures. */
  async faultsOf(accountId: string, all: readonly CaptureOptions[]): Promise<(Fault | undefined)[]> {
    const ids = new Set(all.flatMap((options) => earlierIdOf(options) ?? []));
    const known = ids.size === 0 ? [] : await this.earlier.listOfAccount(accountId, [...ids]);
    const byId = new Map(known.map((job) => [job.id, job]));
    return all.map((options) => {
      const id = earlierIdOf(options);
      const detail = id === undefined ? undefined : faultWith(byId.get(id), options);
      return detail === undefined ? undefined : { pointer: '/compare_with', code: 'not_comparable', detail };
    });
  }
}

/** The id that `compare_with` gives; undefined for `previous` and without the option. */
function earlierIdOf({ compare_with: value }: CaptureOptions): string | undefined {
  return value !== undefined && isId(value) ? value : undefined;
}

function faultWith(earlier: Job | undefined, options: CaptureOptions): string | undefined {
  if (!earlier) return 'is not a capture of this account: give the id of a succeeded one, or previous';
  if (earlier.deletedAt) return 'is a capture that was deleted: give the id of another one, or previous';
  if (!isFinal(earlier.status)) return 'is a capture that has not finished: wait until it has succeeded';
  if (earlier.status !== 'succeeded') {
    return `is a capture that has no file, because it ${earlier.status === 'failed' ? 'failed' : 'was canceled'}: give the id of a succeeded one, or previous`;
  }
  if (earlier.resultKey === null || earlier.isExpired === true) {
    return 'is a capture whose file has expired: expires_in_s keeps files longer';
  }
  const [own] = comparableOutputs(options);
  return own && kindFault(own, earlier);
}

function kindFault(own: ComparedOutput, earlier: Job): string | undefined {
  const outputs = comparableOutputs(restoreOptions(statedOptions(earlier.options).stated, null));
  const other = earlierOutput(own, outputs);
  if (!other) {
    return `is a capture without a ${own.kind}, which the ${own.format} of this one could be compared with`;
  }
  if (own.kind !== 'picture' || other.density === own.density) return undefined;
  return `is a capture with a device_scale_factor of ${other.density}, which must be that of this one, ${own.density}`;
}
