import { describe, expect, it } from '@jest/globals';
import { fieldsOf } from '@app/kernel';
import { Env } from './env.js';
import { loadEnv } from './load-env.js';
import { describeSettings, type Setting } from './settings.js';

const CANARY = 'canary';
/** A valid value of each secret, which has the canary in it; of the key in base64, as whose bytes it decodes. */
const SECRETS: Readonly<Record<string, string>> = {
  DATABASE_URL: `postgres://capture:${CANARY}@localhost/capture`,
  REDIS_URL: `redis://:${CANARY}@localhost`,
  S3_SECRET_ACCESS_KEY: CANARY,
  SECRETS_KEY: Buffer.from(CANARY.padEnd(32, '-')).toString('base64'),
  FILTER_LISTS_URL: `https://lists.example/?token=${CANARY}`,
  SMTP_URL: `smtp://capture:${CANARY}@localhost`,
  OIDC_CLIENT_SECRET: CANARY,
  OTEL_EXPORTER_OTLP_HEADERS: `authorization=${CANARY}`,
};

const read = (source: NodeJS.ProcessEnv): Record<string, Setting> =>
  Object.fromEntries(describeSettings(loadEnv(source)).map((setting) => [setting.name, setting]));

describe(describeSettings.name, () => {
  it('lists every setting, each once and in the order of the documents', () => {
    expect(Object.keys(read({}))).toEqual(fieldsOf(Env).map(({ name }) => name));
  });

  it('says the value in force, the default and where it comes from', () => {
    const settings = read({ PORT: '8080', DOCS: 'false', LOG_LEVEL: '', SETTINGS_FROM_FILE: 'DOCS,HOME' });
    expect(settings).toMatchObject({
      PORT: { value: 8080, default: 3000, origin: 'variable', subject: 'server', isSet: true },
      DOCS: { value: false, default: true, origin: 'file', kind: 'flag' },
      LOG_LEVEL: { value: 'info', default: 'info', origin: 'default' },
      PUBLIC_URL: { value: null, default: null, origin: 'default', isSet: false },
    });
  });

  it('knows for every secret whether it is set, and shows none of them', () => {
    const secret = fieldsOf(Env).filter((field) => field.secret);
    expect(Object.keys(SECRETS).sort()).toEqual(secret.map(({ name }) => name).sort());
    const settings = read(SECRETS);
    for (const { name } of secret) {
      expect(settings[name]).toMatchObject({ value: null, isSecret: true, isSet: true, origin: 'variable' });
      expect(read({})[name]).toMatchObject({ value: null, isSet: false });
    }
    const text = JSON.stringify(settings);
    for (const canary of [CANARY, SECRETS.SECRETS_KEY]) expect(text).not.toContain(canary);
  });

  it('shows no password in the address of another setting', () => {
    const addresses = fieldsOf(Env).filter(
      ({ name, secret, kind }) => !secret && kind === 'text' && /URL|ENDPOINT|ISSUER/.test(name),
    );
    expect(addresses.map(({ name }) => name)).toEqual(expect.arrayContaining(['PUBLIC_URL', 'S3_ENDPOINT']));
    const source = Object.fromEntries(
      addresses.map(({ name }) => [name, `https://user:p@${CANARY}@host.example/a`]),
    );
    const settings = read({
      ...source,
      DEFAULT_OPTIONS: `{"referer":"https://user:${CANARY}@host.example/"}`,
    });
    expect(settings.S3_ENDPOINT?.value).toBe('https://***@host.example/a');
    expect(JSON.stringify(settings)).not.toContain(CANARY);
  });
});
