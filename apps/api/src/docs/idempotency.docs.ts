import { ApiHeader } from '@nestjs/swagger';

export const ApiIdempotencyKey = (): MethodDecorator =>
  ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description:
      '1 to 255 printable ASCII characters, bare or quoted. For 24 hours a request that is repeated with the same key is ' +
      'done once, and has the answer of the first one. Example: `8e03978e-40d5-43dd-bc93-6894a57f9324`.',
    // Without an example, which the reference page would send with every request.
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  });

/** Header of a response that may be that of an earlier request. */
export const REPLAYED = {
  'Idempotency-Replayed': {
    description: '`true`: the answer is that of an earlier request under the same Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
  },
};
