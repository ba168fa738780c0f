import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';

/** The response codes of RFC 1035 (4.1.1) that a test may choose. */
const CODES = { noError: 0, formErr: 1, servFail: 2, nxDomain: 3, refused: 5 } as const;

/** A name server on a UDP port of loopback, which answers every question in one way. */
export class DnsServer {
  /** Null: it does not answer. */
  answer: keyof typeof CODES | null = 'noError';
  questions = 0;

  private constructor(
    private readonly socket: Socket,
    readonly address: string,
  ) {
    socket.on('message', (query, { port, address: from }) => {
      this.questions += 1;
      if (this.answer !== null) socket.send(respond(query, CODES[this.answer]), port, from);
    });
  }

  static async open(): Promise<DnsServer> {
    const socket = createSocket('udp4');
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new DnsServer(socket, `127.0.0.1:${socket.address().port}`);
  }

  async close(): Promise<void> {
    this.socket.close();
    await once(this.socket, 'close');
  }
}

/** The query as a response with this code, and without records. */
function respond(query: Buffer, code: number): Buffer {
  const response = Buffer.from(query);
  const [RESPONSE, RECURSION] = [0x80, 0x80];
  response.writeUInt8(response.readUInt8(2) | RESPONSE, 2);
  response.writeUInt8(RECURSION | code, 3);
  return response;
}
