import net from 'node:net';

/**
 * - `pass`: bytes go through
 * - `refuse`: nobody listens
 * - `blackhole`: connections are taken and nothing is ever answered
 */
export type FaultMode = 'pass' | 'refuse' | 'blackhole';

/** A TCP proxy on loopback in front of a server that a test wants to fail. */
export class FaultProxy {
  private readonly sockets = new Set<net.Socket>();
  private server: net.Server | undefined;
  private mode: FaultMode = 'refuse';
  private lastWord: string | undefined;
  private port = 0;

  private constructor(private readonly upstream: { host: string; port: number }) {}

  static async before(url: string): Promise<FaultProxy> {
    const { hostname, port } = new URL(url);
    const proxy = new FaultProxy({ host: hostname, port: Number(port) });
    await proxy.set('pass');
    return proxy;
  }

  /** The URL of the server with the proxy's address in place of its own. */
  through(url: string): string {
    const changed = new URL(url);
    changed.port = String(this.port);
    return changed.href;
  }

  /** Changes the mode and cuts what is open. */
  async set(mode: FaultMode): Promise<void> {
    this.mode = mode;
    this.cut();
    if (mode === 'refuse') await this.stopListening();
    else if (!this.server) await this.listen();
  }

  /**
   * From the moment that a client sends this text its connection carries no more answers: what it asked for happens,
   * and it does not learn of it.
   */
  swallowAnswersAfter(text: string): void {
    this.lastWord = text;
  }

  /**
   * What is connected now hears nothing any more and is not told, as when the other end vanished; who connects anew gets
   * through.
   */
  freeze(): void {
    for (const socket of this.sockets) socket.unpipe().pause();
  }

  /** New connections get through again; those that were taken meanwhile stay mute. */
  answerAgain(): void {
    this.mode = 'pass';
  }

  /** Cuts every connection, as a server that is restarted does. */
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
    client.on('data', (chunk: Buffer) => {
      if (this.lastWord !== undefined && chunk.includes(this.lastWord)) outside.unpipe(client).resume();
    });
  }

  private keep(socket: net.Socket): net.Socket {
    this.sockets.add(socket);
    return socket.on('error', () => undefined).once('close', () => this.sockets.delete(socket));
  }
}
