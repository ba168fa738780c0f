import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** What a browser context shows to its proxy (RFC 7617). */
export interface ProxyCredential {
  readonly username: string;
  readonly password: string;
  /** The proxy itself answers a request for this address, by 204, to clients that know the credential. */
  readonly url: string;
}

/**
 * Connections that have not shown the credential yet. More than the kernel hands over at once (the backlog of a Node server
 * is 511), so that a flood of strangers does not push out the browser's connection before its first request is read.
 */
const MAX_UNPROVEN = 1_024;

/**
 * The connections of a proxy's clients. The port of a proxy is open to every process of the machine, so a client proves by
 * a credential that it is the browser context the proxy was opened for. A connection proves itself once.
 */
export class ProxyClients {
  readonly credential: ProxyCredential = {
    username: 'context',
    password: randomBytes(24).toString('base64url'),
    url: `http://${randomBytes(16).toString('hex')}.invalid/`,
  };
  private readonly expected = Buffer.from(
    `Basic ${Buffer.from(`${this.credential.username}:${this.credential.password}`).toString('base64')}`,
  );
  /** In the order they came. */
  private readonly unproven = new Set<Socket>();
  private readonly proven = new Set<Socket>();

  add(client: Socket): void {
    this.unproven.add(client);
    client.once('close', () => {
      this.unproven.delete(client);
      this.proven.delete(client);
    });
    for (const oldest of this.unproven) {
      if (this.unproven.size <= MAX_UNPROVEN) break;
      this.unproven.delete(oldest);
      oldest.destroy();
    }
  }

  /** Whether a request comes from the browser context that the proxy was opened for. */
  authenticate({ socket, headers }: IncomingMessage): boolean {
    if (this.proven.has(socket)) return true;
    const shown = Buffer.from(headers['proxy-authorization'] ?? '');
    const isProven = shown.length === this.expected.length && timingSafeEqual(shown, this.expected);
    if (!isProven) return false;
    this.unproven.delete(socket);
    if (!socket.destroyed) this.proven.add(socket);
    return true;
  }

  destroyAll(): void {
    for (const client of [...this.unproven, ...this.proven]) client.destroy();
  }
}
