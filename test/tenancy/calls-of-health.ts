import { HealthHistoryRepository } from '../../libs/health/src/health-history.repository.js';
import { allRows, callsOf } from './calls.js';

const DEPENDENCIES = 'Dependencies belong to no account.';

export const CALLS_OF_HEALTH = [
  callsOf(HealthHistoryRepository, {
    listLatest: allRows(DEPENDENCIES),
    listSince: allRows(DEPENDENCIES),
    note: allRows(DEPENDENCIES),
  }),
];
