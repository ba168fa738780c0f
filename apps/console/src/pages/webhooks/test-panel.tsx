import { Button, Group, Loader, Stack, Text, TextInput } from '@mantine/core';
import type { DeliveryRecord } from '@capture-service/client';
import { useState, type FormEvent } from 'react';
import { Link } from 'wouter';
import { Panel } from '../../ui/panel.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { StatusBadge } from '../../ui/status-badge.js';
import { attemptText } from './attempt-text.js';
import { useDelivery, useTest } from './webhook-queries.js';
import classes from './webhooks.module.css';

const HINT =
  'Sends the event webhook.test once, signed like every webhook. The response is shown here, after at most 15 s.';

/** Sends the event `webhook.test` to a URL and shows how the endpoint responds. */
export function TestPanel() {
  const [url, setUrl] = useState('');
  const { mutate, data, error, isPending } = useTest();
  const send = (event: FormEvent) => {
    event.preventDefault();
    mutate(url.trim());
  };
  return (
    <Panel title="Test an endpoint">
      <form onSubmit={send}>
        <Stack gap="sm">
          <Group gap="xs" align="flex-end" wrap="nowrap">
            <TextInput
              label="URL of the endpoint"
              placeholder="https://example.com/webhooks/capture"
              inputMode="url"
              autoComplete="off"
              spellCheck={false}
              flex={1}
              value={url}
              onChange={(event) => setUrl(event.currentTarget.value)}
            />
            <Button type="submit" loading={isPending} disabled={url.trim() === ''}>
              Send a test
            </Button>
          </Group>
          <div aria-live="polite" className={classes.result}>
            {error && <ProblemAlert error={error} />}
            {!error && data && <Result id={data.id} />}
            {!error && !data && <Text c="dimmed">{HINT}</Text>}
          </div>
        </Stack>
      </form>
    </Panel>
  );
}

function Result({ id }: { readonly id: string }) {
  const { data } = useDelivery(id);
  if (!data) return null;
  return (
    <Stack gap={4}>
      <Group gap="xs">
        <StatusBadge status={data.state} />
        {data.state === 'pending' && <Loader size={12} aria-hidden />}
        <Text className="breaks numeric">{resultText(data)}</Text>
      </Group>
      <Link href={`/webhooks/${id}`} className={classes.more}>
        Show the delivery with its body
      </Link>
    </Stack>
  );
}

function resultText({ log, state }: DeliveryRecord): string {
  const attempt = log.at(-1);
  return attempt && state !== 'pending' ? attemptText(attempt) : 'The endpoint has not responded yet.';
}
