import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Env, planSlots } from '@app/config';
import { EgressGuard } from '../egress-guard.js';
import { Resolver } from '../resolver.js';
import { Descriptors } from './descriptors.js';
import { EgressProxy } from './egress-proxy.js';

/** Opens a proxy for each capture, with the limits of the environment. */
@Injectable()
export class GuardedEgressProxyFactory implements OnModuleInit {
  private readonly descriptors = new Descriptors();

  constructor(
    private readonly guard: EgressGuard,
    private readonly resolver: Resolver,
    private readonly env: Env,
  ) {}

  onModuleInit(): void {
    this.descriptors.warnIfFew(planSlots(this.env).slots);
  }

  open(): Promise<EgressProxy> {
    const { guard, resolver, env, descriptors } = this;
    const limits = {
      requests: env.EGRESS_MAX_REQUESTS,
      connections: env.EGRESS_MAX_CONNECTIONS,
      bytes: env.EGRESS_MAX_BYTES,
    };
    return EgressProxy.listen({ guard, resolver, limits, descriptors });
  }
}
