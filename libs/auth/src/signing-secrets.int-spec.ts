import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { Clock, ManualClock } from '@app/kernel';
import type { TestDatabase } from '../../../test/support/database.js';
import { startModules, testEnv, type StartedModules } from '../../../test/support/modules.js';
import {
  ApiKeysService,
  AuthModule,
  LinkKeysService,
  SigningModule,
  SigningSecretsService,
} from './index.js';

describe('signing secrets', () => {
  let service: StartedModules;
  let app: INestApplicationContext;
  let database: TestDatabase;
  let keys: ApiKeysService;
  let secrets: SigningSecretsService;
  let links: LinkKeysService;
  let accountId: string;
  const clock = new ManualClock(new Date('2026-11-21T10:00:00Z'));

  beforeAll(async () => {
    service = await startModules({ imports: [AuthModule, SigningModule], replace: [[Clock, clock]] });
    ({ app, database } = service);
    keys = app.get(ApiKeysService);
    secrets = app.get(SigningSecretsService);
    links = app.get(LinkKeysService);
    accountId = await database.addAccount();
  });

  afterAll(() => service.close());

  const newKey = async (): Promise<string> => (await keys.create(accountId, 'links')).id;
  const passMs = (ms: number): void => {
    clock.set(new Date(clock.now().getTime() + ms));
  };
  /** The secrets that verify links now, and after the cache has expired. */
  const verifying = async (id: string): Promise<string[] | null> => {
    passMs(5_000);
    const { row } = await links.find(id, () => true);
    return row && [row.current.secret, ...(row.previous ? [row.previous.secret] : [])];
  };

  it('are created when they are first needed, once', async () => {
    const id = await newKey();
    expect(await secrets.find(id)).toBeNull();
    expect(await verifying(id)).toBeNull();
    const all = await Promise.all(Array.from({ length: 10 }, () => secrets.ensure(id)));
    expect(new Set(all.map((key) => key?.current.secret)).size).toBe(1);
    expect(all[0]).toEqual({
      keyId: id,
      accountId,
      name: 'links',
      allowedHosts: null,
      linksExpire: true,
      current: { secret: expect.stringMatching(/^cls_[0-9A-Za-z]{43}$/), createdAt: expect.any(Date) },
      previous: null,
    });
    expect(await verifying(id)).toEqual([all[0]?.current.secret]);
  });

  it('are stored encrypted, each for its own key', async () => {
    const [first, second] = [await newKey(), await newKey()];
    const key = await secrets.ensure(first);
    await secrets.ensure(second);
    const { rows } = await database.query<{ secret: Buffer }>(
      `SELECT * FROM signing_secrets WHERE key_id = $1`,
      [first],
    );
    expect(rows[0]?.secret.toString('latin1')).not.toContain(key?.current.secret.slice(4));
    await database.query(
      `UPDATE signing_secrets SET secret = (SELECT secret FROM signing_secrets WHERE key_id = $1) WHERE key_id = $2`,
      [first, second],
    );
    await expect(secrets.find(second)).rejects.toThrow('SECRETS_KEY');
  });

  it('rotate: two are valid until the previous one is retired, and never three', async () => {
    const id = await newKey();
    const old = (await secrets.ensure(id))?.current.secret ?? '';
    expect(await secrets.retire(id)).toBe(false);
    const rotations = await Promise.all([secrets.rotate(id), secrets.rotate(id), secrets.rotate(id)]);
    expect(rotations.filter(Boolean)).toHaveLength(1);
    const key = await secrets.find(id);
    expect(key?.previous?.secret).toBe(old);
    expect(key?.current.secret).not.toBe(old);
    expect(await verifying(id)).toEqual([key?.current.secret, old]);
    expect(await secrets.rotate(id)).toBe(false);
    expect(await secrets.retire(id)).toBe(true);
    expect(await verifying(id)).toEqual([key?.current.secret]);
    expect(await secrets.rotate(id)).toBe(true);
  });

  it('end with their key, whose links stop working within 5 s', async () => {
    const id = await newKey();
    await secrets.ensure(id);
    expect(await verifying(id)).toHaveLength(1);
    await keys.revoke(id);
    const { rowCount } = await database.query(`SELECT 1 FROM signing_secrets WHERE key_id = $1`, [id]);
    expect(rowCount).toBe(0);
    expect(await verifying(id)).toBeNull();
    expect([await secrets.ensure(id), await secrets.find(id)]).toEqual([null, null]);
  });

  it('are of no key that does not exist', async () => {
    expect([await secrets.ensure('nope'), await secrets.find('nope')]).toEqual([null, null]);
    expect((await links.find('nope', () => true)).row).toBeNull();
  });

  it('say whether the links of the key must expire', async () => {
    const id = await newKey();
    await secrets.ensure(id);
    await secrets.setLinksExpire(id, false);
    passMs(5_000);
    expect((await links.find(id, () => true)).row?.linksExpire).toBe(false);
  });

  it('are looked up once for many links, whose answer says until when it may be used', async () => {
    const id = await newKey();
    await secrets.ensure(id);
    let lookups = 0;
    const count = (): boolean => ++lookups > 0;
    passMs(5_000);
    const all = await Promise.all(Array.from({ length: 50 }, () => links.find(id, count)));
    expect([lookups, new Set(all).size]).toEqual([1, 1]);
    expect(all[0]?.until).toBe(clock.now().getTime() + 4_000);
    passMs(3_999);
    expect(await links.find(id, () => false)).toBe(all[0]);
  });

  it('are not looked up when lookups are refused, unless the key was valid before', async () => {
    const [known, fresh] = [await newKey(), await newKey()];
    await Promise.all([secrets.ensure(known), secrets.ensure(fresh)]);
    await verifying(known);
    passMs(60_000);
    expect((await links.find(known, () => false)).row?.keyId).toBe(known);
    expect((await links.find(fresh, () => false)).row).toBeNull();
    expect((await links.find(fresh, () => true)).row?.keyId).toBe(fresh);
  });

  it('cannot be opened, and none is replaced, with another SECRETS_KEY', async () => {
    const id = await newKey();
    await secrets.ensure(id);
    const other = await startModules({
      database,
      imports: [SigningModule],
      settings: { SECRETS_KEY: Buffer.alloc(32, 9).toString('base64') },
    });
    expect(testEnv(database).SECRETS_KEY).not.toBe(Buffer.alloc(32, 9).toString('base64'));
    await expect(other.app.get(SigningSecretsService).rotate(id)).rejects.toThrow(
      'SECRETS_KEY of the service is not the one',
    );
    await expect(other.app.get(SigningSecretsService).check()).rejects.toMatchObject({
      code: 'secrets_unreadable',
    });
    await expect(secrets.check()).resolves.toBeUndefined();
    await other.close();
    expect((await secrets.find(id))?.previous).toBeNull();
  });
});
