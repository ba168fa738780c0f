/**
 * Config: the settings of the operator. One class declares all variables, and one function reads the environment.
 * It does not know what the values mean, except that it makes a number of `WORKER_SLOTS=auto`. Its module also provides the clock.
 */
export { ConfigModule } from './config.module.js';
export { Env } from './env.js';
export { browserCacheDir, InvalidEnvironmentError, loadEnv, searchPath } from './load-env.js';
export { secretBoxOf } from './secret-box.js';
export { planSlots, type SlotPlan } from './slots/slot-plan.js';
