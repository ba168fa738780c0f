import { isIP } from 'node:net';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Env } from '@app/config';
import { AppError } from '@app/kernel';
import type { Request } from 'express';

const PORT = /:\d+$/;

/**
 * Refuses requests by which a page in the browser of a user could reach a service on the network of that user (DNS
 * rebinding; the transport of MCP requires these checks). Such a request names the host of the attacker, which is not known
 * here, or has its `Origin`. An address is never such a name, because there is nothing to rebind.
 */
@Injectable()
export class McpHostGuard implements CanActivate {
  private readonly names: readonly string[];

  constructor({ HOST, PUBLIC_URL, MCP_HOSTS }: Env) {
    const stated = [HOST, ...MCP_HOSTS.split(','), ...(PUBLIC_URL ? [new URL(PUBLIC_URL).hostname] : [])];
    this.names = stated.map((name) => name.trim().toLowerCase().replace(PORT, '')).filter(Boolean);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    // Loaded when it is first needed, as in McpService.
    const { localhostAllowedHostnames, validateHostHeader, validateOriginHeader } =
      await import('@modelcontextprotocol/server');
    const request = context.switchToHttp().getRequest<Request>();
    const names = [...localhostAllowedHostnames(), ...this.names];
    const host = validateHostHeader(request.host, names);
    if (!host.ok && !isAddress(host.hostname)) {
      throw new AppError('host_forbidden', {
        detail: 'The Host header is none of the names of this service: the operator adds it to MCP_HOSTS.',
      });
    }
    const own = host.hostname === undefined ? [] : [host.hostname];
    if (validateOriginHeader(request.get('origin'), [...names, ...own]).ok) return true;
    throw new AppError('host_forbidden', {
      detail: 'The Origin header is that of another site, and pages of other sites may not use this route.',
    });
  }
}

/** URLs have IPv6 addresses in brackets. */
function isAddress(hostname = ''): boolean {
  return isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
}
