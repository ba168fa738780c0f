/**
 * Database: the connection pool, transactions and the schema's migrations.
 * It knows no table's meaning; entities and repositories live in the library whose noun they are.
 */
export { LOCKS } from './advisory-lock.js';
export { CONNECT_MS, IDLE_IN_TRANSACTION_MS, SILENCE_MS, type DatabaseAddress } from './data-source.js';
export { DatabaseService, type Transaction } from './database.service.js';
export { DatabaseModule, databaseUrl } from './database.module.js';
export { NotificationsService } from './notifications.service.js';
export { migrate, revertAll } from './migrate.js';
export { MIGRATIONS } from './migrations/index.js';
export { isOutage } from './outage.js';
export { assertReachable } from './reachable.js';
export { sqlStateOf } from './sql-state.js';
