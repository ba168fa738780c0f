import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { IS_VALID } from './api-key.repository.js';
import type { CallerKey } from './caller.js';

/** A valid key of a session. */
export interface SessionKey extends CallerKey {
  /** Whether single sign-on made it. */
  readonly isOfPerson: boolean;
}

/** What a log-in by single sign-on leaves for its log-out. */
export interface ProviderSession {
  /** The issuer and its name for its own session (`sid`); null where it gives none. */
  readonly id: string | null;
  /** The ID token, encrypted; null when it is not kept. */
  readonly idToken: Buffer | null;
}

/** Whom the provider has logged out: one of its sessions, or all of a person. Both ids begin with the issuer. */
export type ProviderLogOut =
  | { readonly person: string; readonly session: string | null }
  | { readonly person: null; readonly session: string };

/** How a session begins. */
export interface NewSession {
  readonly keyId: string;
  readonly lifeS: number;
  /** The session whose keys it takes over. */
  readonly from: Buffer | undefined;
  /** As many sessions may hold the key. */
  readonly maxSessions: number;
  /** Null for a log-in with a key. */
  readonly provider: ProviderSession | null;
}

/** The sessions of the console and the links that log in once, by the SHA-256 of their tokens. */
@Injectable()
export class ConsoleSessionRepository {
  constructor(private readonly source: DataSource) {}

  /** The valid keys of a session, in the order of their log-ins; none when the session has ended or is unknown. */
  findKeys(token: Buffer): Promise<SessionKey[]> {
    return this.source.query(
      `SELECT api_keys.id, api_keys.name, account_id AS "accountId", mcp_unsafe AS "mcpUnsafe", scopes,
              allowed_hosts AS "allowedHosts", allowed_ips AS "allowedIps", person IS NOT NULL AS "isOfPerson"
         FROM console_session_keys AS session JOIN api_keys ON api_keys.id = key_id
        WHERE token_sha256 = $1 AND session.expires_at > now() AND ${IS_VALID}
        ORDER BY added_at, api_keys.id`,
      [token],
    );
  }

  /**
   * Begins a session with a key for `lifeS`, and moves the keys of another session to it, which ends. Deletes what has expired,
   * and the oldest sessions of the key beyond `maxSessions`.
   */
  begin(token: Buffer, { keyId, lifeS, from, maxSessions, provider }: NewSession): Promise<void> {
    return this.source.transaction(async (manager) => {
      await manager.query(`DELETE FROM console_session_keys WHERE expires_at < now()`);
      if (from) {
        await manager.query(`UPDATE console_session_keys SET token_sha256 = $1 WHERE token_sha256 = $2`, [
          token,
          from,
        ]);
      }
      await manager.query(
        `INSERT INTO console_session_keys (token_sha256, key_id, expires_at, provider_session, id_token)
         VALUES ($1, $2, now() + $3 * interval '1 s', $4, $5)
         ON CONFLICT (token_sha256, key_id) DO UPDATE SET expires_at = EXCLUDED.expires_at,
           provider_session = EXCLUDED.provider_session, id_token = EXCLUDED.id_token`,
        [token, keyId, lifeS, provider?.id, provider?.idToken],
      );
      await manager.query(
        `DELETE FROM console_session_keys WHERE key_id = $1 AND token_sha256 IN
           (SELECT token_sha256 FROM console_session_keys WHERE key_id = $1
             ORDER BY token_sha256 = $2 DESC, expires_at DESC OFFSET $3)`,
        [keyId, token, maxSessions],
      );
    });
  }

  async removeKey(token: Buffer, keyId: string): Promise<void> {
    await this.source.query(`DELETE FROM console_session_keys WHERE token_sha256 = $1 AND key_id = $2`, [
      token,
      keyId,
    ]);
  }

  /** Ends a session. Returns the ID token of its last log-in by single sign-on, encrypted; null without one. */
  async end(token: Buffer): Promise<Buffer | null> {
    const [rows]: [{ idToken: Buffer | null; expiresAt: Date }[], number] = await this.source.query(
      `DELETE FROM console_session_keys WHERE token_sha256 = $1
       RETURNING id_token AS "idToken", expires_at AS "expiresAt"`,
      [token],
    );
    const signedOn = rows.filter(({ idToken }) => idToken !== null);
    return signedOn.sort((one, other) => Number(other.expiresAt) - Number(one.expiresAt))[0]?.idToken ?? null;
  }

  /**
   * Ends the log-ins by single sign-on that belong to a session of the provider, or all of a person. Those of the person that no
   * session of the provider is known of end with each.
   */
  async endSignOns({ person, session }: ProviderLogOut): Promise<void> {
    await this.source.query(
      `DELETE FROM console_session_keys USING api_keys
        WHERE api_keys.id = key_id AND person IS NOT NULL AND ($1::text IS NULL OR person = $1)
          AND ($2::text IS NULL OR provider_session = $2 OR $1 IS NOT NULL AND provider_session IS NULL)`,
      [person, session],
    );
  }

  /** Adds a link that logs in with a key once. Returns when it expires. */
  async addLogIn(token: Buffer, keyId: string, lifeS: number): Promise<Date> {
    const [row]: [{ expiresAt: Date }] = await this.source.query(
      `WITH expired AS (DELETE FROM console_log_ins WHERE expires_at < now())
       INSERT INTO console_log_ins (token_sha256, key_id, expires_at)
       VALUES ($1, $2, now() + $3 * interval '1 s') RETURNING expires_at AS "expiresAt"`,
      [token, keyId, lifeS],
    );
    return row.expiresAt;
  }

  /** Uses up a link. Returns its key; null when it was used, has expired or is unknown, or when its key is revoked. */
  async takeLogIn(token: Buffer): Promise<string | null> {
    const [rows]: [{ keyId: string }[], number] = await this.source.query(
      `DELETE FROM console_log_ins AS log_in USING api_keys
        WHERE token_sha256 = $1 AND log_in.expires_at > now() AND api_keys.id = key_id AND ${IS_VALID}
       RETURNING key_id AS "keyId"`,
      [token],
    );
    return rows[0]?.keyId ?? null;
  }
}
