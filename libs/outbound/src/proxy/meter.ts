import type { Socket } from 'node:net';
import { EgressFailure } from './egress-failure.js';

/** The network limits of one capture. */
export interface EgressLimits {
  /** Tunnels and plain requests together. */
  readonly requests: number;
  /** Open at the same time. */
  readonly connections: number;
  /** On the wire, in both directions. */
  readonly bytes: number;
}

export interface MeteredUsage {
  /** Tunnels and plain requests of the page. */
  readonly requests: number;
  /** Requests that were refused. */
  readonly blocked: number;
  readonly bytes: number;
  /** The limit that was exceeded first, if any. */
  readonly exceeded: keyof EgressLimits | null;
  /** By `performance.now()`. */
  readonly firstRequestAt: number | undefined;
}

/** Counts the traffic of the proxy of one capture, and enforces its limits. */
export class Meter {
  private requests = 0;
  private firstRequestAt: number | undefined;
  private blocked = 0;
  private bytes = 0;
  private exceeded: keyof EgressLimits | null = null;
  private dialling = 0;
  /** The open connections, each with its bytes that are counted already. */
  private readonly open = new Map<Socket, number>();

  constructor(private readonly limits: EgressLimits) {}

  /** Whether the limit of connections is reached. */
  get isFull(): boolean {
    const alive = [...this.open.keys()].filter(({ destroyed }) => !destroyed);
    return this.dialling + alive.length >= this.limits.connections;
  }

  /**
   * Counts a request.
   *
   * @throws EgressFailure `limit`
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

  /** Counts from zero. What open connections have carried so far is left out. */
  restart(): void {
    this.count();
    this.requests = 0;
    this.blocked = 0;
    this.bytes = 0;
    this.exceeded = null;
    this.firstRequestAt = undefined;
  }

  /**
   * Counts a connection from before it is dialled until it is closed, and its traffic.
   *
   * @throws EgressFailure `limit`, or that of `dial`
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

  /** Updates the count. Beyond the limit every connection is closed: an incomplete page is of no use. */
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

  private refuse(limit: keyof EgressLimits): EgressFailure {
    this.exceeded ??= limit;
    return new EgressFailure('limit');
  }
}
