import { Logger } from '@nestjs/common';
import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';

/** Says in the log when spans can no longer be sent, and when they can be again; a line for each failure would bury the rest. */
export class WatchedExporter implements SpanExporter {
  private readonly logger = new Logger('Tracing');
  private hasFailed = false;
  private lost = 0;

  constructor(private readonly exporter: SpanExporter) {}

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.exporter.export(spans, (result) => {
      this.note(result, spans.length);
      // The SDK reports a failure once more, to a handler that nobody has set.
      done({ code: ExportResultCode.SUCCESS });
    });
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown();
  }

  async forceFlush(): Promise<void> {
    await this.exporter.forceFlush?.();
  }

  private note({ code, error }: ExportResult, spans: number): void {
    if (code === ExportResultCode.SUCCESS) {
      if (this.hasFailed) this.logger.log(`spans are sent again; ${this.lost} were lost`);
      this.hasFailed = false;
      this.lost = 0;
      return;
    }
    this.lost += spans;
    if (!this.hasFailed)
      this.logger.warn(`spans cannot be sent and are lost: ${error?.message ?? 'no reason'}`);
    this.hasFailed = true;
  }
}
