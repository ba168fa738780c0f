import { Module } from '@nestjs/common';
import { Exits } from '@app/browser';
import { EgressProxies, OutboundModule } from '@app/outbound';

/** Lets the browsers out through the egress proxy, and by no other way. */
@Module({
  imports: [OutboundModule],
  providers: [
    {
      provide: Exits,
      inject: [EgressProxies],
      useFactory: (proxies: EgressProxies): Exits => proxies,
    },
  ],
  exports: [Exits],
})
export class EgressModule {}
