import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

/** A mail as a server gets it. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** As it was sent: headers and parts (RFC 5322). */
  readonly source: string;
}

/** An SMTP server on loopback. It takes each mail unless a test lets it refuse the receiver. */
export class MailReceiver {
  readonly received: ReceivedMail[] = [];
  private readonly refusals = new Map<string, number>();
  private readonly server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _session, done) => {
      const code = this.refusals.get(address);
      if (code === undefined) done();
      else done(Object.assign(new Error('Refused'), { responseCode: code }));
    },
    onData: (stream, { envelope }, done) => {
      void text(stream).then((source) => {
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address;
        this.received.push({ from, to: envelope.rcptTo.map(({ address }) => address), source });
        done();
      }, done);
    },
  });

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `smtp://127.0.0.1:${(this.server.server.address() as AddressInfo).port}`;
  }

  /** Answers later mails to this receiver with this reply (RFC 5321, 4.2). */
  refuse(address: string, code: number): void {
    this.refusals.set(address, code);
  }

  accept(address: string): void {
    this.refusals.delete(address);
  }

  /** May be called twice. */
  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.server.close(resolve));
  }
}
