import type { CaptureRecord } from '@capture-service/client';
import { List, Stack, Text, Title } from '@mantine/core';
import { Facts } from '../ui/facts.js';
import { PageMetadataView } from './page-metadata-view.js';
import { reportsOf, type Report } from './reports.js';

/** What the capture observed: verdict, readiness, consent, blocked requests, stability, change, cache, and the page's own words. */
export function RecordReports({ record }: { readonly record: CaptureRecord }) {
  const reports = reportsOf(record);
  return (
    <Stack gap="lg">
      {reports.map((report) => (
        <ReportView key={report.title} report={report} />
      ))}
      {record.page && <PageMetadataView page={record.page} />}
      {reports.length === 0 && !record.page && <Text c="dimmed">The record has no reports.</Text>}
    </Stack>
  );
}

function ReportView({ report: { title, summary, facts, items } }: { readonly report: Report }) {
  return (
    <section>
      <Title order={2} size="h3" mb={4}>
        {title}
      </Title>
      <Text className="breaks">{summary}</Text>
      {items.length > 0 && (
        <List size="sm" mt={4} spacing={2}>
          {items.map((item, i) => (
            <List.Item key={i} className="breaks">
              <bdi>{item}</bdi>
            </List.Item>
          ))}
        </List>
      )}
      {facts.length > 0 && <Facts facts={facts} />}
    </section>
  );
}
