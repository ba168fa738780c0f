/**
 * Database: the connection pool, transactions, locks, notifications and the migrations of the schema.
 * It does not know what the tables mean: entities and repositories belong to the library of their noun.
 */
export { Client } from './client.js';
export { ListeningClient } from './listening-client.js';
export { lockForAccount, LOCKS } from './advisory-lock.js';
export { connectMsOf, IDLE_IN_TRANSACTION_MS, SILENCE_MS, type DatabaseAddress } from './data-source.js';
export { DatabaseService, type Transaction } from './database.service.js';
export { isUsable, STATE_TEXTS, type DatabaseState } from './database-state.js';
export { DatabaseModule } from './database.module.js';
export { Pool } from './pool.js';
export { NotificationsService } from './notifications.service.js';
export { migrate, revertAll } from './migrate.js';
export { MIGRATIONS } from './migrations/index.js';
export { isOutage, NoConnectionError, sqlStateOf } from './database-errors.js';
export { asRequest, asService, setAccount } from './connection-owner.js';
export { databaseUrl, openSession } from './database-url.js';
