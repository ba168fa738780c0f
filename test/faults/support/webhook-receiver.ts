import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One attempt of a delivery, as it arrived. */
export interface Received {
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly body: string;
  /** Local port of the sender. */
  readonly port: number;
}

/** No other process listens on this address: one of 127.0.0.1 could take the port while the receiver is down. */
const HOST = '127.0.0.2';

type Answer = (response: ServerResponse, received: Received) => void;

/** An endpoint for webhooks on loopback that records what arrives; a test decides whether it is up and how it answers. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  /** How it answers; 204 unless the test changes it. */
  answer: Answer = (response) => void response.writeHead(204).end();
  private server = this.create();
  private port = 0;

  static async open(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    await receiver.up();
    return receiver;
  }

  get url(): string {
    return `http://${HOST}:${this.port}/hook`;
  }

  get address(): string {
    return `${HOST}:${this.port}`;
  }

  /** The bodies that arrived under each id. */
  get bodies(): Map<string, Set<string>> {
    const bodies = new Map<string, Set<string>>();
    for (const { id, body } of this.received) bodies.set(id, (bodies.get(id) ?? new Set()).add(body));
    return bodies;
  }

  /** The events about one capture, in order of arrival. */
  about(jobId: string): Received[] {
    return this.received.filter(({ body }) => {
      const event = JSON.parse(body) as { data: { id: string } };
      return event.data.id === jobId;
    });
  }

  async up(): Promise<void> {
    this.server = this.create();
    this.server.listen(this.port, HOST);
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  /** Stops listening. */
  async down(): Promise<void> {
    if (!this.server.listening) return;
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  private create() {
    return createServer((request, response) => void this.receive(request, response));
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const header = (name: string): string => String(request.headers[name] ?? '');
    const received = {
      id: header('webhook-id'),
      timestamp: header('webhook-timestamp'),
      signature: header('webhook-signature'),
      body: Buffer.concat(chunks).toString(),
      port: request.socket.remotePort ?? 0,
    };
    this.received.push(received);
    this.answer(response, received);
  }
}
