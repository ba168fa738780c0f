/** Settings of @hey-api/openapi-ts. */
export default {
  input: './docs/openapi.json',
  output: 'docs/clients/generated/hey-api',
  parser: {
    patch: {
      operations: {
        // The generator supports one content type per response: without this patch the file could not be returned.
        'POST /v1/capture': ({ responses }) => {
          const record = responses[200].content['application/json'].schema;
          const file = { type: 'string', format: 'binary' };
          responses[200].content = { 'application/json': { schema: { anyOf: [file, record] } } };
        },
      },
    },
  },
};
