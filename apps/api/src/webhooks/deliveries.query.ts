import { Choice, compose, isId, Text } from '@app/kernel';
import { DELIVERY_STATES, EVENT_TYPES, type DeliveryHistoryFilter, type DeliveryState } from '@app/webhooks';
import { creationOf, PageQuery } from '../http/page.query.js';

class DeliveryFilters {
  @Choice(DELIVERY_STATES, 'Only deliveries in this state.')
  state?: DeliveryState;

  @Choice(EVENT_TYPES, 'Only deliveries of this event.')
  type?: string;

  @Text('Only deliveries about this job or batch.', {
    max: 36,
    check: (text: string) => (isId(text) ? undefined : 'must be the id of a job or batch'),
  })
  subject_id?: string;
}

/** Query of `GET /v1/webhooks/deliveries`. */
export const DeliveriesQuery = compose('DeliveriesQuery', [DeliveryFilters, PageQuery]);
export type DeliveriesQuery = InstanceType<typeof DeliveriesQuery>;

export function filterOf(query: DeliveriesQuery): DeliveryHistoryFilter {
  const { state, type, subject_id: subjectId } = query;
  return { state, type, subjectId, ...creationOf(query) };
}
