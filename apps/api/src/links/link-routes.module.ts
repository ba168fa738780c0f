import { Module } from '@nestjs/common';
import { SigningModule } from '@app/auth';
import { DefaultOptionsModule } from '@app/capture';
import { OutboundModule } from '@app/outbound';
import { RatesModule, UsageModule } from '@app/usage';
import { HttpModule } from '../http/http.module.js';
import { SyncRoutesModule } from '../sync/sync-routes.module.js';
import { LinkSignerService } from './link-signer.service.js';
import { LinkVerifierService } from './link-verifier.service.js';
import { LinkedCapturesService } from './linked-captures.service.js';
import { LinksController } from './links.controller.js';
import { RenderController } from './render.controller.js';

/** `GET /v1/render` and `POST /v1/links`: signed links. */
@Module({
  imports: [
    DefaultOptionsModule,
    HttpModule,
    OutboundModule,
    RatesModule,
    SigningModule,
    SyncRoutesModule,
    UsageModule,
  ],
  controllers: [RenderController, LinksController],
  providers: [LinkedCapturesService, LinkSignerService, LinkVerifierService],
})
export class LinkRoutesModule {}
