import dgram from 'node:dgram';
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';

const HOSTS = ['127.0.0.1', '127.0.0.2', '::1'];

/** What a page gets of a canary that it does reach, so that whatever it asked for goes on. */
const ANSWER =
  'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\naccess-control-allow-origin: *\r\ncontent-length: 4\r\n' +
  'connection: close\r\n\r\nsang';

/** Servers on loopback that must not be reached: two addresses of IPv4, one of IPv6, and UDP. */
export class Canaries {
  /** `<road> <first line>` of all that came. */
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

  /** One more, on a port that somebody else has on another address. */
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
    // A connection alone is a hit: a preconnect sends nothing.
    const index = this.songs.push(host) - 1;
    socket.on('error', () => socket.destroy());
    socket.on('data', (data) => {
      this.songs[index] = `${host} ${data.toString('latin1').split('\r\n', 1)[0]}`;
      socket.end(ANSWER);
    });
  }
}
