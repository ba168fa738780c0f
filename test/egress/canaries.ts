import dgram from 'node:dgram';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';

const HOSTS = ['127.0.0.1', '127.0.0.2', '::1'];

/** The answer to a page that reaches a canary, so that the request succeeds. */
const ANSWER =
  'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\naccess-control-allow-origin: *\r\ncontent-length: 4\r\n' +
  'connection: close\r\n\r\nsang';

/** Servers on loopback that no page may reach: on two IPv4 addresses, one IPv6 address, and UDP. */
export class Canaries {
  /** `<address> <first line>` of everything that arrived. */
  readonly songs: string[] = [];
  private perched?: net.Server;
  private readonly servers: net.Server[] = [];
  private readonly sockets = new Set<net.Socket>();
  private readonly udp = dgram.createSocket('udp4');

  async open(): Promise<void> {
    for (const host of HOSTS) this.servers.push(await this.listen(host, 0));
    this.udp.on('message', () => this.songs.push('udp'));
    this.udp.bind(0, '127.0.0.1');
    await once(this.udp, 'listening');
  }

  /** Opens one more canary, on a port that another server has on another address. */
  async perch(host: string, port: number): Promise<void> {
    this.perched = await this.listen(host, port);
  }

  /** `127.0.0.1:4711`, `127.0.0.2:4712`, `[::1]:4713`. */
  get places(): string[] {
    return this.servers.map((server) => {
      const { address, port } = server.address() as AddressInfo;
      return `${net.isIPv6(address) ? `[${address}]` : address}:${port}`;
    });
  }

  get udpPlace(): string {
    const { address, port } = this.udp.address();
    return `${address}:${port}`;
  }

  close(): void {
    this.perched?.close();
    for (const server of this.servers) server.close();
    for (const socket of this.sockets) socket.destroy();
    this.udp.close();
  }

  private async listen(host: string, port: number): Promise<net.Server> {
    const server = net.createServer((socket) => this.serve(socket, host));
    server.listen(port, host);
    await once(server, 'listening');
    return server;
  }

  private serve(socket: net.Socket, host: string): void {
    this.sockets.add(socket);
    // A connection counts without a request, because a preconnect sends nothing.
    const index = this.songs.push(host) - 1;
    socket.on('error', () => socket.destroy());
    socket.on('data', (data) => {
      this.songs[index] = `${host} ${data.toString('latin1').split('\r\n', 1)[0]}`;
      socket.end(ANSWER);
    });
  }
}
