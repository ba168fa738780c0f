import { Injectable, type PipeTransform } from '@nestjs/common';
import { DefaultOptions, parseOptions, type CaptureOptions } from '@app/capture';

/** Parses the body of `POST /v1/capture`. */
@Injectable()
export class CaptureOptionsPipe implements PipeTransform<unknown, CaptureOptions> {
  constructor(private readonly defaults: DefaultOptions) {}

  /** @throws AppError `invalid_request` */
  transform(raw: unknown): CaptureOptions {
    return parseOptions(raw, this.defaults);
  }
}
