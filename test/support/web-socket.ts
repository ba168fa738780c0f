import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** RFC 6455: the value with which a server proves that it speaks WebSocket. */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
/** The first byte of a whole message of text. */
const TEXT = 0x81;
/** A length that does not fit into seven bits follows in two bytes. */
const LONG = 126;

/** Accepts a WebSocket, and ignores what it receives. */
export function acceptWebSocket({ headers }: IncomingMessage, socket: Duplex): void {
  const accept = createHash('sha1').update(`${headers['sec-websocket-key']}${GUID}`).digest('base64');
  const lines = ['HTTP/1.1 101 Switching Protocols', 'Upgrade: websocket', 'Connection: Upgrade'];
  socket.write([...lines, `Sec-WebSocket-Accept: ${accept}`, '', ''].join('\r\n'));
  socket.on('error', () => undefined).resume();
}

/** The frame of a message of at most 65,535 bytes. */
export function textFrame(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length < LONG) return Buffer.concat([Buffer.from([TEXT, bytes.length]), bytes]);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([Buffer.from([TEXT, LONG]), length, bytes]);
}
