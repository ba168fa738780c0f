import { fileURLToPath } from 'node:url';
import { EXPLAINED, StartError } from './output.mjs';
import { run, tied } from './processes.mjs';

const CHECK = fileURLToPath(new URL('check-redis.mjs', import.meta.url));

/**
 * A Redis that somebody has set must answer: the applications would wait for it without an end. In a process of its own,
 * as the launcher stays small.
 *
 * @throws StartError that names REDIS_URL
 */
export async function requireRedis(env) {
  if (!env.REDIS_URL) return;
  const { code, stderr } = await run(tied(process.execPath, [CHECK]), { env });
  if (code === EXPLAINED) throw new StartError(stderr.trim());
  if (code !== 0) throw new Error(`The Redis of REDIS_URL could not be asked.\n${stderr.trim()}`);
}
