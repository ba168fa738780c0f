/**
 * Config: the settings of the operator. One class declares all variables, and one function reads the environment.
 * It does not know what the values mean, except that it makes a number of `WORKER_SLOTS=auto`. Its module also provides the clock.
 */
export { ConfigModule } from './config.module.js';
export { Env, SUBJECTS, type Subject } from './env.js';
export {
  browserCacheDir,
  InvalidEnvironmentError,
  loadEnv,
  searchPath,
  SETTING_ORIGINS,
  type SettingOrigin,
} from './load-env.js';
export { secretBoxOf } from './secret-box.js';
export { describeSettings, type Setting, type SettingValue } from './settings.js';
export { planSlots, type SlotPlan } from './slots/slot-plan.js';
