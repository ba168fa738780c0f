import type { PipeTransform, Type } from '@nestjs/common';
import { parse, readTexts, type AnyClass } from '@app/kernel';

/** Parses a body or a query; the parser throws AppError `invalid_request`. */
export class ParsePipe<T> implements PipeTransform<unknown, T> {
  constructor(private readonly parser: (raw: unknown) => T) {}

  transform(raw: unknown): T {
    return this.parser(raw);
  }
}

/** A pipe that parses query parameters, which are texts, into the class that declares them. */
export function queryOf<T extends object>(type: Type<T> & AnyClass<T>): ParsePipe<T> {
  return new ParsePipe((raw) => parse(type, readTexts(type, raw as Record<string, unknown>)));
}
