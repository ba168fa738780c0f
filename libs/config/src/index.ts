/**
 * Config: what the operator may set. One class states each variable; one function reads the process's environment.
 * It holds no logic on what a value means.
 */
export { ConfigModule } from './config.module.js';
export { Env } from './env.js';
export { browserCacheDir, InvalidEnvironmentError, loadEnv, searchPath } from './load-env.js';
export { secretBoxOf } from './secret-box.js';
