import { once } from 'node:events';

/** The variable of an application whose memory is measured: it opens an inspector on a free port. */
export const INSPECTED = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

interface Answer {
  readonly id: number;
  readonly result: { readonly result?: { readonly value?: number } };
}

/**
 * Resolves to the bytes in use by a Node process after a garbage collection: its heap and the buffers outside it. Resident
 * memory does not show that, as V8 collects late when there is room.
 *
 * @param log The output of the process, which has the address of its inspector.
 */
export function heldBytes(log: string): Promise<number> {
  return measureBytes(log, '(({ heapUsed, external }) => heapUsed + external)(process.memoryUsage())');
}

/** As `heldBytes`, but the resident memory. */
export function residentBytes(log: string): Promise<number> {
  return measureBytes(log, 'process.memoryUsage.rss()');
}

async function measureBytes(log: string, expression: string): Promise<number> {
  const [, address] = /Debugger listening on (ws:\S+)/.exec(log) ?? [];
  if (address === undefined) throw new Error('The process has no inspector.');
  const socket = new WebSocket(address);
  await once(socket, 'open');
  try {
    await ask(socket, { id: 1, method: 'HeapProfiler.collectGarbage' });
    const { result } = await ask(socket, { id: 2, method: 'Runtime.evaluate', params: { expression } });
    if (result.result?.value === undefined) throw new Error('The process does not report its memory.');
    return result.result.value;
  } finally {
    socket.close();
  }
}

interface Question {
  readonly id: number;
  readonly method: string;
  readonly params?: object;
}

async function ask(socket: WebSocket, question: Question): Promise<Answer> {
  socket.send(JSON.stringify(question));
  for (;;) {
    const [event] = (await once(socket, 'message')) as [MessageEvent<string>];
    const answer = JSON.parse(event.data) as Answer;
    if (answer.id === question.id) return answer;
  }
}
