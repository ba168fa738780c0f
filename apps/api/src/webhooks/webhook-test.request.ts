import { addressFault } from '@app/capture';
import { faultsOf, instantiate, invalidRequest, isPlainObject, Text } from '@app/kernel';

/** Body of `POST /v1/webhooks/test`. */
export class WebhookTestRequest {
  @Text('URL that receives the test.', {
    max: 2_048,
    check: (text: string) => addressFault(text),
    example: 'https://example.com/webhooks/capture',
  })
  url!: string;
}

/**
 * Returns the URL of the request.
 *
 * @throws AppError `invalid_request`
 */
export function testedUrlOf(body: unknown): string {
  const faults = faultsOf(WebhookTestRequest, body);
  if (isPlainObject(body) && !Object.hasOwn(body, 'url')) {
    faults.push({ pointer: '/url', code: 'required', detail: 'is required: the URL that receives the test' });
  }
  if (faults.length > 0) throw invalidRequest(faults);
  return instantiate(WebhookTestRequest, body as object).url;
}
