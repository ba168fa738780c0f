import http, { type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly path: string;
  /** `webhook-id` */
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answers a webhook, or leaves it hanging. */
export type Answering = (response: ServerResponse, received: Received) => void;

/** An endpoint for webhooks on loopback. It answers 204 unless a test sets another answer for a path. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  private readonly answers = new Map<string, Answering>();
  private readonly server = http.createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => (body += part));
    request.on('end', () => {
      const { pathname } = new URL(request.url ?? '/', 'http://receiver.test');
      const received = {
        path: pathname,
        id: String(request.headers['webhook-id']),
        headers: request.headers,
        body,
      };
      this.received.push(received);
      const answer = this.answers.get(pathname);
      if (answer) answer(response, received);
      else response.writeHead(204).end();
    });
  });

  /** Listens; a receiver that was closed can be opened again on its port. */
  async open(port = 0): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(port, '127.0.0.1', resolve));
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  answerOn(path: string, answer: Answering): void {
    this.answers.set(path, answer);
  }

  /** Sets the status of later answers. */
  answer(path: string, status: number, headers: Record<string, string> = {}): void {
    this.answerOn(path, (response) => void response.writeHead(status, headers).end());
  }

  receivedAt(path: string): Received[] {
    return this.received.filter((received) => received.path === path);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
