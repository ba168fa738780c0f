import { Choice, compose } from '@app/kernel';
import { CHECK_OUTCOMES, MONITOR_STATES, type CheckOutcome, type MonitorState } from '@app/monitors';
import { ListQuery } from '../http/page.query.js';

class MonitorFilters {
  @Choice(MONITOR_STATES, 'Only monitors in this state.')
  state?: MonitorState;
}

class CheckFilters {
  @Choice(CHECK_OUTCOMES, 'Only checks with this outcome.')
  outcome?: CheckOutcome;
}

/** Query of `GET /v1/monitors`. */
export const MonitorsQuery = compose('MonitorsQuery', [MonitorFilters, ListQuery]);
export type MonitorsQuery = InstanceType<typeof MonitorsQuery>;

/** Query of `GET /v1/monitors/{id}/checks`. */
export const ChecksQuery = compose('ChecksQuery', [CheckFilters, ListQuery]);
export type ChecksQuery = InstanceType<typeof ChecksQuery>;
