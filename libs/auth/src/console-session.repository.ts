import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { IS_VALID } from './api-key.repository.js';
import type { CallerKey } from './caller.js';

/** A valid key of a session. */
export interface SessionKey extends CallerKey {
  /** Whether single sign-on made it. */
  readonly isOfPerson: boolean;
}

/** How a session begins. */
export interface NewSession {
  readonly keyId: string;
  readonly lifeS: number;
  /** The session whose keys it takes over. */
  readonly from: Buffer | undefined;
  /** As many sessions may hold the key. */
  readonly maxSessions: number;
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
  begin(token: Buffer, { keyId, lifeS, from, maxSessions }: NewSession): Promise<void> {
    return this.source.transaction(async (manager) => {
      await manager.query(`DELETE FROM console_session_keys WHERE expires_at < now()`);
      if (from) {
        await manager.query(`UPDATE console_session_keys SET token_sha256 = $1 WHERE token_sha256 = $2`, [
          token,
          from,
        ]);
      }
      await manager.query(
        `INSERT INTO console_session_keys (token_sha256, key_id, expires_at)
         VALUES ($1, $2, now() + $3 * interval '1 s')
         ON CONFLICT (token_sha256, key_id) DO UPDATE SET expires_at = EXCLUDED.expires_at`,
        [token, keyId, lifeS],
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

  async end(token: Buffer): Promise<void> {
    await this.source.query(`DELETE FROM console_session_keys WHERE token_sha256 = $1`, [token]);
  }

  /** Ends all sessions with the keys of a person. */
  async endAllOf(person: string): Promise<void> {
    await this.source.query(
      `DELETE FROM console_session_keys WHERE key_id IN (SELECT id FROM api_keys WHERE person = $1)`,
      [person],
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
