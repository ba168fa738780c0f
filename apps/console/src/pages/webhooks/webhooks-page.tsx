import { SimpleGrid, Stack } from '@mantine/core';
import { PageHeader } from '../../ui/page-header.js';
import { DeliveriesSection } from './deliveries-section.js';
import { SecretPanel } from './secret-panel.js';
import { TestPanel } from './test-panel.js';

/** The secret of the account's webhooks, a test of an endpoint, and what was delivered. */
export default function WebhooksPage() {
  return (
    <>
      <PageHeader
        title="Webhooks"
        description="Signed requests to your endpoints when a job or a batch has ended."
      />
      <Stack gap="md">
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          <SecretPanel />
          <TestPanel />
        </SimpleGrid>
        <DeliveriesSection />
      </Stack>
    </>
  );
}
