import { Text, parse, invalidRequest } from '@app/kernel';

/** Body of `POST /console/session`: exactly one of these. */
export class LogInRequest {
  @Text('An API key.', { max: 200 })
  key?: string;

  @Text('The token of a link that logs in once.', { max: 200 })
  log_in?: string;
}

/** @throws AppError `invalid_request` */
export function readLogIn(raw: unknown): LogInRequest {
  const request = parse(LogInRequest, raw);
  if ((request.key === undefined) !== (request.log_in === undefined)) return request;
  throw invalidRequest([
    { pointer: '/key', code: 'required', detail: 'is missing: send key or log_in, not both' },
  ]);
}
