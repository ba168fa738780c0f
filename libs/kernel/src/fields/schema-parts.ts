/** Building blocks of JSON Schemas that are written by hand, in the form of OpenAPI 3.1. */

export const integer = { type: 'integer' };
export const string = { type: 'string' };
export const boolean = { type: 'boolean' };

/** An object whose properties are all required. */
export const every = (properties: object) => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});

/** A value of this type, or null. */
export const orNull = (type: string, description?: string) => ({
  type: [type, 'null'],
  ...(description !== undefined && { description }),
});

export const list = (items: object, description?: string) => ({
  type: 'array',
  items,
  ...(description !== undefined && { description }),
});

/** A reference to a schema of the OpenAPI document. */
export const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

export const refOrNull = (name: string) => ({ oneOf: [ref(name), { type: 'null' }] });
