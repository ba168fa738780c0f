import type { JsonSchemaType } from '@modelcontextprotocol/server';

export const URL_ARGUMENT: JsonSchemaType = {
  type: 'string',
  description: 'URL of the page, http or https.',
};
