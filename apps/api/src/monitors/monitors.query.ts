import { Choice, compose, decodeCursor, Text, Whole } from '@app/kernel';
import { CHECK_OUTCOMES, MONITOR_STATES, type CheckOutcome, type MonitorState } from '@app/monitors';

class ListFields {
  @Whole('Number of items in a page.', { min: 1, max: 100 })
  limit = 20;

  @Text('`next_cursor` of the previous page.', {
    max: 100,
    check: (text: string) => (decodeCursor(text) ? undefined : 'must be the next_cursor of a page'),
  })
  cursor?: string;
}

class MonitorFilters {
  @Choice(MONITOR_STATES, 'Only monitors in this state.')
  state?: MonitorState;
}

class CheckFilters {
  @Choice(CHECK_OUTCOMES, 'Only checks with this outcome.')
  outcome?: CheckOutcome;
}

/** Query of `GET /v1/monitors`. */
export const MonitorsQuery = compose('MonitorsQuery', [MonitorFilters, ListFields]);
export type MonitorsQuery = InstanceType<typeof MonitorsQuery>;

/** Query of `GET /v1/monitors/{id}/checks`. */
export const ChecksQuery = compose('ChecksQuery', [CheckFilters, ListFields]);
export type ChecksQuery = InstanceType<typeof ChecksQuery>;

/** The place of a page in a list. */
export function placeOf({ limit, cursor }: ListFields) {
  return { limit, cursor: cursor === undefined ? undefined : decodeCursor(cursor) };
}
