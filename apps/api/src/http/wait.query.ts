import { Whole } from '@app/kernel';

/** Query of `GET /v1/jobs/{id}` and `GET /v1/bulk/{id}`. */
export class WaitQuery {
  @Whole('Seconds to wait for a final status; the response is sent as soon as there is one.', {
    min: 0,
    max: 30,
  })
  wait = 0;
}
