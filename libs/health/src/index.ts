/**
 * Health: when each dependency of the service stopped working, and when it worked again. A row is written at a change only, and old
 * ones are removed with it. It checks nothing itself.
 */
export {
  HEALTH_HISTORY_DAYS,
  HealthHistoryRepository,
  type HealthChange,
} from './health-history.repository.js';
export { HealthHistoryModule } from './health-history.module.js';
