import { once } from 'node:events';
import net, { type AddressInfo, type Server, type Socket } from 'node:net';
import tls from 'node:tls';
import { CERTIFICATE } from './certificate.js';
import type { RawAnswer } from './raw-answers.js';

/** A server on loopback that answers with raw bytes over TCP or TLS, which need not be HTTP. */
export class RawSite {
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly scheme: 'http' | 'https',
  ) {}

  /** `/…/name` gets the answer of that name, any other path 404. */
  static async open(
    scheme: 'http' | 'https',
    answers: Readonly<Record<string, RawAnswer>>,
  ): Promise<RawSite> {
    const serve = (socket: Socket): void => {
      let asked = '';
      socket.on('error', () => undefined);
      socket.on('data', (part) => {
        asked += part.toString('latin1');
        if (!asked.includes('\r\n\r\n')) return;
        const name = decodeURIComponent(asked.split(' ', 2)[1]?.split('/').at(-1) ?? '');
        asked = '';
        const answer = answers[name];
        if (answer) answer(socket);
        else socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n');
      });
    };
    const server = scheme === 'http' ? net.createServer(serve) : tls.createServer(CERTIFICATE, serve);
    const site = new RawSite(server, scheme);
    server.on('connection', (socket: Socket) => {
      site.sockets.add(socket.on('error', () => undefined));
      socket.once('close', () => site.sockets.delete(socket));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return site;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  url(name: string): string {
    return `${this.scheme}://127.0.0.1:${this.port}/${encodeURIComponent(name)}`;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }
}
