import { randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';

/** Carries the address of a client in a request that the API sends to itself. */
const HEADER = 'X-Capture-Origin';

/**
 * The addresses from which keys are used. The API sends requests to itself for the tools of `POST /mcp`, and these come from the
 * loopback address: a secret of the process proves whose address they name instead.
 */
@Injectable()
export class ClientOriginService {
  private readonly secret = randomBytes(32).toString('base64url');

  /** Express trusts `X-Forwarded-For` as far as TRUSTED_PROXIES says. Undefined when the connection is closed already. */
  addressOf(request: Request): string | undefined {
    const [secret = '', address] = (request.get(HEADER) ?? '').split(' ');
    const isOwn = secret.length === this.secret.length;
    if (isOwn && timingSafeEqual(Buffer.from(secret), Buffer.from(this.secret))) return address;
    return request.ip;
  }

  /** The headers of a request that the API sends to itself for the sender of another one. */
  headersFor(request: Request): Record<string, string> {
    return { [HEADER]: `${this.secret} ${this.addressOf(request) ?? ''}` };
  }
}
