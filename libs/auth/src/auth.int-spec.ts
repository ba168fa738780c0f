import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { AppError, Clock, ManualClock } from '@app/kernel';
import type { TestDatabase } from '../../../test/support/database.js';
import { startModules, type StartedModules } from '../../../test/support/modules.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { generateSecret } from './key-format.js';
import { ApiKeysService, AuthModule, AuthService } from './index.js';

describe('API keys', () => {
  let service: StartedModules;
  let app: INestApplicationContext;
  let client: TestDatabase;
  let keys: ApiKeysService;
  let auth: AuthService;
  const clock = new ManualClock(new Date('2026-11-21T10:00:00Z'));
  let accountId: string;

  beforeAll(async () => {
    service = await startModules({ imports: [AuthModule], replace: [[Clock, clock]] });
    ({ app, database: client } = service);
    keys = app.get(ApiKeysService);
    auth = app.get(AuthService);
    accountId = await client.addAccount();
  });

  afterAll(() => service.close());

  const passMs = (ms: number): void => {
    clock.set(new Date(clock.now().getTime() + ms));
  };

  /** A well-formed key with this id and a secret that is not its own. */
  const keyOf = (id: string): string => generateSecret(id).key;
  const refuse = (key: string, mayLookUp?: () => boolean): Promise<void> =>
    expect(auth.authenticate(key, mayLookUp)).rejects.toEqual(new AppError('unauthorized'));

  it('identify their account', async () => {
    expect(await keys.hasAny()).toBe(false);
    const { id, key } = await keys.create(accountId, 'laptop');
    expect(await keys.hasAny()).toBe(true);
    expect(await auth.authenticate(key)).toMatchObject({ accountId, keyId: id });
  });

  it('are stored without their secret', async () => {
    const { id, key } = await keys.create(accountId, 'stored');
    const { rows } = await client.query<Record<string, unknown>>(`SELECT * FROM api_keys WHERE id = $1`, [
      id,
    ]);
    expect(JSON.stringify(rows)).not.toContain(key.slice(-38, -6));
    expect(rows[0]?.secret_sha256).toHaveLength(32);
  });

  it('are refused alike when missing, malformed, unknown or with a wrong secret', async () => {
    const [first, second] = [await keys.create(accountId, 'x'), await keys.create(accountId, 'y')];
    await client.query(
      `UPDATE api_keys SET secret_sha256 = (SELECT secret_sha256 FROM api_keys WHERE id = $2) WHERE id = $1`,
      [first.id, second.id],
    );
    const unknown = await keys.create(accountId, 'gone');
    await client.query(`DELETE FROM api_keys WHERE id = $1`, [unknown.id]);
    for (const presented of [undefined, '', 'cap_x', first.key, unknown.key]) {
      await expect(auth.authenticate(presented)).rejects.toEqual(new AppError('unauthorized'));
    }
  });

  it('are refused with one statement each: how long it takes shows no guess that a key exists', async () => {
    const made = await Promise.all(
      ['wrong', 'revoked', 'expired', 'gone'].map((name) => keys.create(accountId, name)),
    );
    const [wrong, revoked, expired, gone] = made.map(({ id }) => id);
    await client.query(`UPDATE api_keys SET secret_sha256 = sha256('other') WHERE id = $1`, [wrong]);
    await client.query(`UPDATE api_keys SET revoked_at = now() WHERE id = $1`, [revoked]);
    await client.query(`UPDATE api_keys SET expires_at = now() - interval '1 s' WHERE id = $1`, [expired]);
    await client.query(`DELETE FROM api_keys WHERE id = $1`, [gone]);
    const looks = jest.spyOn(ApiKeyRepository.prototype, 'findValid');
    try {
      for (const { key } of made) await refuse(key);
      expect(looks.mock.calls).toEqual(made.map(({ id }) => [id]));
      // What is known of a key changes nothing, nor does a second guess, nor that lookups are refused.
      looks.mockClear();
      const valid = await keys.create(accountId, 'valid');
      await auth.authenticate(valid.key);
      looks.mockClear();
      for (const id of [valid.id, ...made.map((each) => each.id)]) {
        const [guess, other] = [keyOf(id), keyOf(id)];
        for (const each of [guess, guess, other]) await refuse(each);
        await refuse(keyOf(id), () => false);
        passMs(5_000);
        await refuse(keyOf(id), () => false);
        expect(looks.mock.calls).toEqual([[id], [id]]);
        looks.mockClear();
      }
    } finally {
      looks.mockRestore();
    }
  });

  it('are noted as used once a day, however often they are used', async () => {
    const { id, key } = await keys.create(accountId, 'busy');
    const noted = jest.spyOn(ApiKeyRepository.prototype, 'markUsed');
    try {
      for (let use = 0; use < 5; use++) {
        await auth.authenticate(key);
        passMs(500);
      }
      expect(noted.mock.calls).toEqual([[id]]);
    } finally {
      noted.mockRestore();
    }
  });

  it('stop working within 5 s after revocation, and stay revoked', async () => {
    const { id, key } = await keys.create(accountId, 'lost');
    await auth.authenticate(key);
    const revoked = await keys.revoke(id);
    expect(revoked?.revokedAt).toBeInstanceOf(Date);
    passMs(5_000);
    await expect(auth.authenticate(key)).rejects.toMatchObject({ code: 'unauthorized' });
    expect((await keys.revoke(id))?.revokedAt).toEqual(revoked?.revokedAt);
    expect(await keys.revoke('nope')).toBeNull();
  });

  it('work with a new secret at once where lookups are allowed, and with the old one while it overlaps', async () => {
    const { id, key } = await keys.create(accountId, 'rotated');
    await auth.authenticate(key);
    const next = await keys.rotate(id, 60);
    await expect(auth.authenticate(next?.key, () => false)).rejects.toThrow(AppError);
    expect(await auth.authenticate(next?.key)).toMatchObject({ keyId: id });
    expect(await auth.authenticate(key)).toMatchObject({ keyId: id });
    await client.query(`UPDATE api_keys SET previous_until = $2 WHERE id = $1`, [id, clock.now()]);
    passMs(5_000);
    await expect(auth.authenticate(key)).rejects.toThrow(AppError);
  });

  it('permit unsafe options of MCP tools within 5 s after the operator has said so', async () => {
    const { id, key } = await keys.create(accountId, 'agent');
    expect(await auth.authenticate(key)).toEqual({
      accountId,
      keyId: id,
      keyName: 'agent',
      mcpUnsafe: false,
      scopes: ['capture', 'read', 'links'],
      allowedHosts: null,
      allowedIps: null,
    });
    expect(await keys.setMcpUnsafe({ id }, true)).toEqual([id]);
    passMs(5_000);
    expect(await auth.authenticate(key)).toMatchObject({ mcpUnsafe: true });
    expect(await keys.setMcpUnsafe({ accountId }, false)).toContain(id);
    passMs(5_000);
    expect(await auth.authenticate(key)).toMatchObject({ mcpUnsafe: false });
    expect(await keys.setMcpUnsafe({ id: 'nope' }, true)).toEqual([]);
  });

  it('are looked up once for many requests', async () => {
    const { id, key } = await keys.create(accountId, 'busy');
    await auth.authenticate(key);
    await client.query(`DELETE FROM api_keys WHERE id = $1`, [id]);
    passMs(3_000);
    expect(await auth.authenticate(key)).toMatchObject({ keyId: id });
  });

  it('are not looked up when lookups are refused, unless they were valid before', async () => {
    const [known, fresh] = [await keys.create(accountId, 'known'), await keys.create(accountId, 'fresh')];
    await auth.authenticate(known.key);
    passMs(60_000);
    const never = (): boolean => false;
    expect(await auth.authenticate(known.key, never)).toMatchObject({ keyId: known.id });
    await expect(auth.authenticate(fresh.key, never)).rejects.toMatchObject({ code: 'unauthorized' });
    expect(await auth.authenticate(fresh.key)).toMatchObject({ keyId: fresh.id });
    await keys.revoke(known.id);
    passMs(5_000);
    await expect(auth.authenticate(known.key, never)).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('are not looked up repeatedly after revocation', async () => {
    const { id, key } = await keys.create(accountId, 'revoked');
    await keys.revoke(id);
    let lookups = 0;
    const count = (): boolean => ++lookups > 0;
    for (let i = 0; i < 3; i++)
      await expect(auth.authenticate(key, count)).rejects.toMatchObject({ code: 'unauthorized' });
    expect(lookups).toBe(1);
  });

  it('are listed in the order of their creation', async () => {
    const { id } = await keys.create(accountId, 'last');
    const listed = await keys.list();
    expect(listed.map((key) => key.name).slice(0, 2)).toEqual(['laptop', 'stored']);
    expect(listed.at(-1)?.id).toBe(id);
  });
});
