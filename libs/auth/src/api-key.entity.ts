import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Scope } from './scopes.js';

/** A key of an account, without its secret. */
@Entity('api_keys')
export class ApiKey {
  /** The public part of the key. */
  @PrimaryColumn('text')
  id!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  /** The operator's name for it. */
  @Column('text')
  name!: string;

  @Column({ type: 'bytea', name: 'secret_sha256' })
  secretSha256!: Buffer;

  /** The secret before the last rotation; null without one. */
  @Column({ type: 'bytea', name: 'previous_secret_sha256', nullable: true, insert: false })
  previousSecretSha256!: Buffer | null;

  /** Until when the secret before the last rotation works. */
  @Column({ type: 'timestamptz', name: 'previous_until', precision: 3, nullable: true, insert: false })
  previousUntil!: Date | null;

  @Column('text', { array: true })
  scopes!: Scope[];

  /** When the key stops working; null for never. */
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3, nullable: true })
  expiresAt!: Date | null;

  /** Patterns of the hosts that it may capture; null for all. */
  @Column('text', { name: 'allowed_hosts', array: true, nullable: true })
  allowedHosts!: string[] | null;

  /** CIDRs of the addresses from which it may be used; null for all. */
  @Column('text', { name: 'allowed_ips', array: true, nullable: true })
  allowedIps!: string[] | null;

  /** The issuer and the subject of the person for whom single sign-on made the key; null for other keys. */
  @Column('text', { nullable: true })
  person!: string | null;

  /** The day (UTC) of its last request; null before the first. */
  @Column({ type: 'date', name: 'last_used_on', nullable: true, insert: false })
  lastUsedOn!: string | null;

  /** Whether each link that is signed for the key must state when it expires. */
  @Column({ type: 'boolean', name: 'links_expire', insert: false })
  linksExpire!: boolean;

  /** Whether the tools of `POST /mcp` accept options that run code or carry secrets. */
  @Column({ type: 'boolean', name: 'mcp_unsafe', insert: false })
  mcpUnsafe!: boolean;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, insert: false })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'revoked_at', precision: 3, nullable: true })
  revokedAt!: Date | null;
}
