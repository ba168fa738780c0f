import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DatabaseModule } from '@app/database';
import { WebhookDelivery } from './webhook-delivery.entity.js';
import { DeliveryHistoryRepository } from './delivery-history.repository.js';
import { DeliveryRepository } from './delivery.repository.js';
import { WebhooksService } from './webhooks.service.js';

@Module({
  imports: [DatabaseModule, TypeOrmModule.forFeature([WebhookDelivery])],
  providers: [DeliveryHistoryRepository, DeliveryRepository, WebhooksService],
  exports: [DeliveryHistoryRepository, DeliveryRepository, WebhooksService],
})
export class WebhooksModule {}
