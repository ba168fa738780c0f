import { Injectable } from '@nestjs/common';
import { BatchEtaService, toBatchRecord, type Batch, type BatchRecord } from '@app/bulk';
import { waitingSummary, WebhooksService, type WebhookSummary } from '@app/webhooks';

/** Builds the records of batches, with the estimated time left and the state of the webhook. */
@Injectable()
export class BatchRecordsService {
  constructor(
    private readonly eta: BatchEtaService,
    private readonly webhooks: WebhooksService,
  ) {}

  async recordOf(batch: Batch): Promise<BatchRecord> {
    return toBatchRecord(batch, { etaS: await this.eta.etaS(batch), webhook: await this.webhookOf(batch) });
  }

  /** In the order of the batches, in two queries however many they are. */
  async recordsOf(batches: readonly Batch[]): Promise<BatchRecord[]> {
    const announced = batches.flatMap(({ id, announcedAt, webhookUrl }) =>
      webhookUrl === null || announcedAt === null ? [] : [[id, webhookUrl] as const],
    );
    const [etas, summaries] = await Promise.all([
      this.eta.etasOf(batches),
      this.webhooks.summariesOf(new Map(announced)),
    ]);
    return batches.map((batch) => {
      const { id, webhookUrl } = batch;
      const webhook = webhookUrl === null ? null : (summaries.get(id) ?? waitingSummary(webhookUrl));
      return toBatchRecord(batch, { etaS: etas.get(id) ?? null, webhook });
    });
  }

  private async webhookOf({ id, announcedAt, webhookUrl }: Batch): Promise<WebhookSummary | null> {
    if (webhookUrl === null) return null;
    return announcedAt === null ? waitingSummary(webhookUrl) : this.webhooks.summaryOf(id, webhookUrl);
  }
}
