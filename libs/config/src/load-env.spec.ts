import { describe, expect, it } from '@jest/globals';
import { loadEnv, InvalidEnvironmentError } from './load-env.js';

describe(loadEnv.name, () => {
  it('gives every variable its default when nothing is set', () => {
    expect(loadEnv({})).toMatchObject({
      PORT: 3000,
      WORKER_PORT: 3001,
      LOG_FORMAT: 'json',
      CHROMIUM_SANDBOX: 'on',
    });
  });

  it('reads numbers and flags', () => {
    expect(loadEnv({ PORT: '8080', DOCS: 'false' })).toMatchObject({ PORT: 8080, DOCS: false });
  });

  it('treats an empty variable as unset', () => {
    expect(loadEnv({ PORT: '', REDIS_URL: '' })).toMatchObject({ PORT: 3000 });
    expect(loadEnv({ REDIS_URL: '' }).REDIS_URL).toBeUndefined();
  });

  it('ignores unknown variables', () => {
    expect(() => loadEnv({ PATH: '/bin', PORTS: 'x' })).not.toThrow();
  });

  it('reports all faults at once, with each variable and how to correct it', () => {
    const load = (): unknown =>
      loadEnv({ PORT: 'http', DATABASE_URL: 'mysql://x', LOG_LEVEL: 'loud', SECRETS_KEY: 'short' });
    expect(load).toThrow(InvalidEnvironmentError);
    expect(load).toThrow(/PORT must be a whole number between 1 and 65535/);
    expect(load).toThrow(/DATABASE_URL must be a URL such as postgres:/);
    expect(load).toThrow(/LOG_LEVEL must be one of trace/);
    expect(load).toThrow(/SECRETS_KEY must be 32 bytes in base64/);
  });

  it('does not repeat a secret in its report', () => {
    const load = (): unknown => loadEnv({ DATABASE_URL: 'mysql://user:hunter2@host/db' });
    expect(load).toThrow(InvalidEnvironmentError);
    expect(load).not.toThrow(/hunter2/);
  });
});
