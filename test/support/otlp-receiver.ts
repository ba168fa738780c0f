import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeTraces, type ReceivedSpan } from './otlp-messages.js';

/** A receiver of OTLP over HTTP on loopback, as a collector is: it decodes and keeps every span. */
export interface OtlpReceiver {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** The headers of each request. */
  readonly headers: readonly IncomingHttpHeaders[];
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** @param answer of each request; by default 200. One that does nothing leaves the request hanging. */
export async function startOtlpReceiver(
  answer: (response: ServerResponse) => void = (response) => void response.writeHead(200).end(),
): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      headers.push(request.headers);
      if (request.url === '/v1/traces') spans.push(...decodeTraces(Buffer.concat(parts)));
      answer(response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    headers,
    close,
    [Symbol.asyncDispose]: close,
  };
}
