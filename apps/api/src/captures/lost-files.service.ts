import { Injectable, Logger } from '@nestjs/common';
import { KeptCaptureRepository, type Job } from '@app/jobs';
import { AppError } from '@app/kernel';
import { FileNotFoundError } from '@app/storage';

/** Notices files that the store no longer has, so that the cache does not answer with them again. */
@Injectable()
export class LostFilesService {
  private readonly logger = new Logger(LostFilesService.name);

  constructor(private readonly cache: KeptCaptureRepository) {}

  /**
   * Resolves as `reading` does, which reads files of this job.
   *
   * @throws AppError `result_expired` when a file was deleted since the row was read, or was removed by hand
   */
  async orExpired<T>({ id, originId }: Job, reading: Promise<T>): Promise<T> {
    try {
      return await reading;
    } catch (cause) {
      if (!(cause instanceof FileNotFoundError)) throw cause;
      if (originId !== null) {
        await this.cache.forget(originId).catch((err: unknown) => {
          this.logger.warn({ job_id: id, err }, 'the cache could not forget a capture whose file is gone');
        });
      }
      throw new AppError('result_expired', { cause });
    }
  }
}
