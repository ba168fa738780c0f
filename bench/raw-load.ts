/**
 * Sends one request again and again over connections that stay open, in a process of its own. It neither parses nor keeps
 * what it does not need, so that it costs less than the server that is measured.
 */
import { connect } from 'node:net';

export interface Load {
  readonly port: number;
  /** The whole request, as it is sent. */
  readonly request: string;
  readonly connections: number;
  readonly ms: number;
}

export interface LoadResult {
  /** Time in ms of each answer. */
  readonly durations: readonly number[];
  /** Time in ms of all. */
  readonly elapsed: number;
}

process.on('message', (load: Load) => {
  void run(load).then((result) => process.send?.(result));
});
process.send?.('ready');

async function run({ port, request, connections, ms }: Load): Promise<LoadResult> {
  const durations: number[] = [];
  const began = performance.now();
  const isOver = (): boolean => performance.now() - began > ms;
  const all = Array.from({ length: connections }, () => converse({ port, request, isOver, durations }));
  await Promise.all(all);
  return { durations, elapsed: performance.now() - began };
}

interface Conversation {
  readonly port: number;
  readonly request: string;
  readonly isOver: () => boolean;
  readonly durations: number[];
}

function converse({ port, request, isOver, durations }: Conversation): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1').setNoDelay();
    let sentAt = 0;
    let missing: number | null = null;
    let head = '';
    const send = (): void => {
      missing = null;
      head = '';
      sentAt = performance.now();
      socket.write(request);
    };
    socket.on('connect', send).on('error', reject);
    socket.on('data', (chunk: Buffer) => {
      if (missing === null) {
        head += chunk.toString('latin1');
        const end = head.indexOf('\r\n\r\n');
        if (end === -1) return;
        if (!head.startsWith('HTTP/1.1 200')) return reject(new Error(head));
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
        missing = length - (head.length - end - 4);
      } else missing -= chunk.length;
      if (missing > 0) return;
      durations.push(performance.now() - sentAt);
      if (!isOver()) return send();
      socket.end();
      resolve();
    });
  });
}
