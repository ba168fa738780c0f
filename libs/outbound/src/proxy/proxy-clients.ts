import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** The credential of a browser context at its proxy (RFC 7617). */
export interface ProxyCredential {
  readonly username: string;
  readonly password: string;
  /** The proxy itself responds to this address, with 204, for clients with the credential. */
  readonly url: string;
}

/**
 * The limit of connections that have not shown the credential yet. It exceeds the number that the kernel hands over at once
 * (the backlog of a Node server is 511), so that a flood of other clients does not evict the connection of the browser
 * before its first request is read.
 */
const MAX_UNAUTHENTICATED = 1_024;

/**
 * The connections of the clients of a proxy. Every process of the machine can connect to its port, so a client proves by a
 * credential that it is the browser context of this proxy, once for each connection.
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
  /** In the order of their arrival. */
  private readonly unauthenticated = new Set<Socket>();
  private readonly authenticated = new Set<Socket>();

  add(client: Socket): void {
    this.unauthenticated.add(client);
    client.once('close', () => {
      this.unauthenticated.delete(client);
      this.authenticated.delete(client);
    });
    for (const oldest of this.unauthenticated) {
      if (this.unauthenticated.size <= MAX_UNAUTHENTICATED) break;
      this.unauthenticated.delete(oldest);
      oldest.destroy();
    }
  }

  /** Whether a request comes from the browser context of this proxy. */
  authenticate({ socket, headers }: IncomingMessage): boolean {
    if (this.authenticated.has(socket)) return true;
    const shown = Buffer.from(headers['proxy-authorization'] ?? '');
    const isAuthentic = shown.length === this.expected.length && timingSafeEqual(shown, this.expected);
    if (!isAuthentic) return false;
    this.unauthenticated.delete(socket);
    if (!socket.destroyed) this.authenticated.add(socket);
    return true;
  }

  destroyAll(): void {
    for (const client of [...this.unauthenticated, ...this.authenticated]) client.destroy();
  }
}
