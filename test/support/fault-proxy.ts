import net from 'node:net';

/**
 * - `pass`: bytes go through
 * - `refuse`: the port is closed
 * - `blackhole`: it accepts connections and never answers
 */
export type FaultMode = 'pass' | 'refuse' | 'blackhole';

interface Address {
  readonly host: string;
  readonly port: number;
}

/** A TCP proxy on loopback with which a test makes a server fail. */
export class FaultProxy {
  private readonly sockets = new Set<net.Socket>();
  private server: net.Server | undefined;
  private mode: FaultMode = 'refuse';
  private lastWord: string | undefined;
  private port = 0;

  private constructor(private upstream: Address) {}

  static async before(url: string): Promise<FaultProxy> {
    const proxy = new FaultProxy(addressOf(url));
    await proxy.set('pass');
    return proxy;
  }

  /** Leads new connections to another server, as the address of a database does after a failover; open ones stay. */
  leadTo(url: string): void {
    this.upstream = addressOf(url);
  }

  /** The URL of the server with the proxy's address in place of its own. */
  proxied(url: string): string {
    const changed = new URL(url);
    changed.port = String(this.port);
    // What is behind the proxy fails on purpose: the service waits for it as it does by default.
    changed.searchParams.delete('connect_timeout');
    return changed.href;
  }

  /** Changes the mode and cuts all connections. */
  async set(mode: FaultMode): Promise<void> {
    this.mode = mode;
    this.cut();
    if (mode === 'refuse') await this.stopListening();
    else if (!this.server) await this.listen();
  }

  /**
   * Drops all answers to a client from the moment it sends this text: what it requested happens, and it never learns
   * so.
   */
  swallowAnswersAfter(text: string): void {
    this.lastWord = text;
  }

  /**
   * Silences the open connections without closing them, as when the other end vanishes; new connections get through.
   */
  freeze(): void {
    for (const socket of this.sockets) socket.unpipe().pause();
  }

  /** Freezes, and never answers new connections either. */
  fallSilent(): void {
    this.freeze();
    this.mode = 'blackhole';
  }

  /** Lets new connections through again; those accepted in between stay silent. */
  answerAgain(): void {
    this.mode = 'pass';
  }

  /** Cuts every connection, as the restart of a server does. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    await this.set('refuse');
  }

  private async listen(): Promise<void> {
    const server = net.createServer((client) => {
      this.accept(client);
    });
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as net.AddressInfo).port;
    this.server = server;
  }

  private async stopListening(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (server) await new Promise((resolve) => server.close(resolve));
  }

  private accept(client: net.Socket): void {
    this.keep(client);
    if (this.mode === 'blackhole') return;
    const outside = this.keep(net.connect(this.upstream));
    client.pipe(outside).pipe(client);
    // A pipe passes only an orderly end on, and the server would keep the session of a client that broke off.
    client.once('close', () => {
      if (!client.isPaused()) outside.destroy();
    });
    client.on('data', (chunk: Buffer) => {
      if (this.lastWord !== undefined && chunk.includes(this.lastWord)) outside.unpipe(client).resume();
    });
  }

  private keep(socket: net.Socket): net.Socket {
    this.sockets.add(socket);
    return socket.on('error', () => undefined).once('close', () => this.sockets.delete(socket));
  }
}

function addressOf(url: string): Address {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}
