import { Injectable } from '@nestjs/common';
import { Env } from '@app/config';
import { TimeoutError, unlessAborted, withTimeout } from '@app/kernel';
import { ATTEMPT_TIMEOUT_MS, readMail, type AttemptOutcome, type ClaimedDelivery } from '@app/webhooks';

/** Replies to a receiver that say that there is none (RFC 5321, 4.2.3). */
const UNKNOWN_RECEIVER = [550, 551, 553];

/** The library would wait for minutes after an attempt is over. */
const TIMEOUTS = {
  connectionTimeout: ATTEMPT_TIMEOUT_MS,
  greetingTimeout: ATTEMPT_TIMEOUT_MS,
  socketTimeout: ATTEMPT_TIMEOUT_MS,
};

/** Errors of the library, by their code. Every other one is a connection that failed. */
const FAILURES = { EDNS: 'dns', ETLS: 'tls', ETIMEDOUT: 'timeout' } as const;

/** What errors of the library say. */
interface SmtpError extends Error {
  readonly code?: string;
  readonly responseCode?: number;
  readonly command?: string;
}

/** Sends mails by the server of the operator, whose address no caller chooses. */
@Injectable()
export class MailSenderService {
  constructor(private readonly env: Env) {}

  /**
   * Resolves with a failure rather than reject; rejects only with the reason of `signal` when that aborts.
   *
   * @param to the address of the receiver
   */
  async send({ id, body }: ClaimedDelivery, to: string, signal: AbortSignal): Promise<AttemptOutcome> {
    const { SMTP_URL: url } = this.env;
    if (url === undefined) return { kind: 'no_mail_server' };
    // Imported on demand: most workers send no mail.
    const { createTransport } = await import('nodemailer');
    const transport = createTransport({ url, ...TIMEOUTS }, this.defaultsFor(url));
    // The same id in each attempt, so that a receiver may see that two mails are one.
    const messageId = `<${id}@${new URL(url).hostname}>`;
    try {
      const sending = transport.sendMail({ ...readMail(body), to, messageId });
      await unlessAborted(withTimeout(sending, ATTEMPT_TIMEOUT_MS, 'sending a mail'), signal);
      return { kind: 'mailed', status: 250, isUnknown: false };
    } catch (error) {
      signal.throwIfAborted();
      return error instanceof TimeoutError ? { kind: 'timeout' } : outcomeOf(error as SmtpError);
    } finally {
      transport.close();
    }
  }

  private defaultsFor(url: string) {
    return {
      from: this.env.SMTP_FROM ?? `capture-service@${new URL(url).hostname}`,
      // The receivers and the texts come from callers: none may name a file or an address of ours to send.
      disableFileAccess: true,
      disableUrlAccess: true,
      headers: { 'Auto-Submitted': 'auto-generated' },
    };
  }
}

function outcomeOf({ code = '', responseCode: status, command }: SmtpError): AttemptOutcome {
  if (status !== undefined) {
    const isUnknown = command === 'RCPT TO' && UNKNOWN_RECEIVER.includes(status);
    return { kind: 'mailed', status, isUnknown };
  }
  return { kind: code in FAILURES ? FAILURES[code as keyof typeof FAILURES] : 'connection' };
}
