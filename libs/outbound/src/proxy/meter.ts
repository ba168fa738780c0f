import type { Socket } from 'node:net';
import { Outage } from './outage.js';

/** What one capture may use of the network. */
export interface EgressLimits {
  /** Tunnels and plain requests together. */
  readonly requests: number;
  /** Open at the same time. */
  readonly connections: number;
  /** On the wire, in both directions. */
  readonly bytes: number;
}

export interface MeteredUsage {
  /** Tunnels and plain requests that the page asked for. */
  readonly requests: number;
  /** Those that were refused. */
  readonly blocked: number;
  readonly bytes: number;
  /** The limit that was passed first, if any. */
  readonly exceeded: keyof EgressLimits | null;
  /** By `performance.now()`. */
  readonly firstRequestAt: number | undefined;
}

/** Counts what passes the proxy of one capture, and says when it is enough. */
export class Meter {
  private requests = 0;
  private firstRequestAt: number | undefined;
  private blocked = 0;
  private bytes = 0;
  private exceeded: keyof EgressLimits | null = null;
  private dialling = 0;
  /** With the bytes of each that are counted. */
  private readonly open = new Map<Socket, number>();

  constructor(private readonly limits: EgressLimits) {}

  /** Whether no connection may be added. */
  get isFull(): boolean {
    const living = [...this.open.keys()].filter(({ destroyed }) => !destroyed);
    return this.dialling + living.length >= this.limits.connections;
  }

  /**
   * Counts a request.
   *
   * @throws Outage `limit`
   */
  admitRequest(): void {
    this.requests += 1;
    this.firstRequestAt ??= performance.now();
    if (this.requests > this.limits.requests) throw this.refuse('requests');
    if (this.bytes > this.limits.bytes) throw this.refuse('bytes');
  }

  block(): void {
    this.blocked += 1;
  }

  /**
   * Counts a connection from before it is dialled until it is closed, and what passes it.
   *
   * @throws Outage `limit`, or that of `dial`
   */
  async connect(dial: () => Promise<Socket>): Promise<Socket> {
    if (this.isFull) throw this.refuse('connections');
    this.dialling += 1;
    try {
      const socket = await dial();
      this.watch(socket);
      return socket;
    } finally {
      this.dialling -= 1;
    }
  }

  usage(): MeteredUsage {
    const { requests, blocked, bytes, exceeded, firstRequestAt } = this;
    return { requests, blocked, bytes, exceeded, firstRequestAt };
  }

  /** Brings the count up to date; past the limit every connection is cut: half a page is not worth having. */
  count(): void {
    for (const [socket, counted] of this.open) {
      const now = socket.bytesRead + socket.bytesWritten;
      this.bytes += now - counted;
      this.open.set(socket, now);
    }
    if (this.bytes <= this.limits.bytes) return;
    this.exceeded ??= 'bytes';
    for (const socket of this.open.keys()) socket.destroy();
  }

  private watch(socket: Socket): void {
    this.open.set(socket, 0);
    socket.on('data', () => {
      this.count();
    });
    socket.once('close', () => {
      this.count();
      this.open.delete(socket);
    });
  }

  private refuse(limit: keyof EgressLimits): Outage {
    this.exceeded ??= limit;
    return new Outage('limit');
  }
}
