import { Module } from '@nestjs/common';
import { DefaultOptionsModule } from '@app/capture';
import { MonitorsModule } from '@app/monitors';
import { WebhookRoutesModule } from '../webhooks/webhook-routes.module.js';
import { MonitorRequestsService } from './monitor-requests.service.js';
import { ReceiverTargetsService } from './receiver-targets.service.js';
import { MonitorsController } from './monitors.controller.js';

/** `/v1/monitors`. */
@Module({
  imports: [DefaultOptionsModule, MonitorsModule, WebhookRoutesModule],
  controllers: [MonitorsController],
  providers: [MonitorRequestsService, ReceiverTargetsService],
})
export class MonitorRoutesModule {}
