import { applyDecorators } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { fieldsOf, type AnyClass } from '@app/kernel';

/** The query parameters of an operation, from the class that reads them. */
export function ApiQueryOf(type: AnyClass): MethodDecorator {
  const defaults = new type() as Record<string, unknown>;
  return applyDecorators(
    ...fieldsOf(type).map(({ name, doc, schema, example }) => {
      const value = defaults[name];
      return ApiQuery({
        name,
        required: false,
        description: doc,
        schema: { ...schema, ...(value !== undefined && { default: value }) },
        ...(example !== undefined && { example }),
      });
    }),
  );
}
