import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** What arrived on one connection until the service closed it. */
export interface RawAnswer {
  readonly text: string;
  /** The status codes of the responses, without `100`. */
  readonly statuses: readonly number[];
  readonly headers: Headers;
  readonly body: string;
}

const opened = new Set<Socket>();

/** Closes all connections of the spec file. */
export function hangUp(): void {
  for (const socket of opened) socket.destroy();
  opened.clear();
}

/**
 * Opens a connection that stays open when the service ends its side: the service must not depend on the goodwill of a
 * client.
 */
export async function openSocket(url: string): Promise<Socket> {
  const { hostname: host, port } = new URL(url);
  const socket = connect({ host, port: Number(port), allowHalfOpen: true });
  // A reset by the service is an answer too.
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  opened.add(socket);
  return socket;
}

/** Sends bytes as they are, HTTP or not, and reads until the service closes the connection. */
export async function exchange(url: string, bytes: string | Uint8Array): Promise<RawAnswer> {
  const socket = await openSocket(url);
  socket.write(bytes);
  return readAnswer(socket);
}

export async function readAnswer(socket: Socket): Promise<RawAnswer> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await new Promise((resolve) => socket.once('end', resolve).once('close', resolve));
  return parse(Buffer.concat(chunks).toString('latin1'));
}

function parse(text: string): RawAnswer {
  const answers = text.split(/^(?=HTTP\/1\.1 \d{3} )/m).filter((each) => !each.startsWith('HTTP/1.1 100'));
  const [head = '', ...rest] = (answers.at(-1) ?? '').split('\r\n\r\n');
  const lines = head.split('\r\n').slice(1);
  const headers = new Headers(
    lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]),
  );
  const statuses = answers.filter((each) => each !== '').map((each) => Number(each.slice(9, 12)));
  return { text, statuses, headers, body: rest.join('\r\n\r\n') };
}
