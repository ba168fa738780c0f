import { Injectable } from '@nestjs/common';
import { addressFault } from '@app/capture';
import { Env } from '@app/config';
import { AppError, invalidRequest, Text } from '@app/kernel';
import { EgressGuard } from '@app/outbound';

/** The field of every request whose work continues without the caller. */
export class WebhookField {
  @Text('URL that receives a signed POST at the end (Standard Webhooks 1.0).', {
    max: 2_048,
    check: (text: string) => addressFault(text),
    example: 'https://example.com/webhooks/capture',
  })
  webhook_url?: string;
}

/** Decides which addresses may receive webhooks, before the host name is resolved. */
@Injectable()
export class WebhookTargetService {
  constructor(
    private readonly env: Env,
    private readonly guard: EgressGuard,
  ) {}

  /**
   * Returns the normalized address.
   *
   * @throws AppError `invalid_request`, `target_forbidden`
   */
  accept({ webhook_url: text }: WebhookField): string | undefined {
    return text === undefined ? undefined : this.admit(text, 'webhook_url');
  }

  /**
   * Returns the normalized address.
   *
   * @param field that has the address, as errors name it
   * @throws AppError `invalid_request`, `target_forbidden`
   */
  admit(text: string, field: string): string {
    const url = new URL(text);
    if (url.protocol === 'http:' && !this.env.WEBHOOK_HTTP && !this.guard.isOpened(url)) {
      throw invalidRequest([{ pointer: `/${field}`, code: 'not_allowed', detail: 'must be an https URL' }]);
    }
    const fault = this.guard.addressFault(url);
    if (fault) {
      throw new AppError('target_forbidden', {
        detail: `${field} ${fault.detail}`,
        errors: [{ pointer: `/${field}`, ...fault }],
      });
    }
    return url.href;
  }
}
