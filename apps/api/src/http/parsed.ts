import type { PipeTransform, Type } from '@nestjs/common';
import { parse, readTexts, type AnyClass } from '@app/kernel';

/** A pipe that reads a body or a query into the class that states its fields. */
export class Parsed<T> implements PipeTransform<unknown, T> {
  constructor(private readonly read: (raw: unknown) => T) {}

  transform(raw: unknown): T {
    return this.read(raw);
  }
}

/** Reads query parameters, which are texts, into the class `type`. */
export function queryOf<T extends object>(type: Type<T> & AnyClass<T>): Parsed<T> {
  return new Parsed((raw) => parse(type, readTexts(type, raw as Record<string, unknown>)));
}
