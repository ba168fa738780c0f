import { describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import { InMemorySpanExporter, type ReadableSpan } from '@opentelemetry/sdk-trace';
import { WatchedExporter } from './watched-exporter.js';

const SPANS = [{}, {}] as ReadableSpan[];

class ScriptedExporter extends InMemorySpanExporter {
  results: ExportResult[] = [];

  override export(_spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    done(this.results.shift() ?? { code: ExportResultCode.SUCCESS });
  }
}

describe(WatchedExporter.name, () => {
  it('says once that spans cannot be sent, and once that they can be again', () => {
    const lines: string[] = [];
    Logger.overrideLogger({
      log: (line: string) => lines.push(line),
      warn: (line: string) => lines.push(line),
      error: (line: string) => lines.push(line),
    });
    const scripted = new ScriptedExporter();
    const failed = { code: ExportResultCode.FAILED, error: new Error('connect ECONNREFUSED') };
    scripted.results = [failed, failed];
    const exporter = new WatchedExporter(scripted);
    for (let i = 0; i < 4; i++) exporter.export(SPANS, () => undefined);
    expect(lines).toEqual([
      'spans cannot be sent and are lost: connect ECONNREFUSED',
      'spans are sent again; 4 were lost',
    ]);
  });
});
