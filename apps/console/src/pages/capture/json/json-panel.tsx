import { Group, Skeleton, Stack, Text } from '@mantine/core';
import { Suspense } from 'react';
import { CopyButton } from '../../../ui/copy-button.js';
import { ErrorBoundary } from '../../../ui/error-boundary.js';
import { lazyPart } from '../../../ui/lazy-part.js';
import { secretsOf } from '../form/form-link.js';
import { requestOf } from '../form/form-state.js';
import type { CaptureForm } from '../use-capture-form.js';

const JsonEditor = lazyPart(() => import('./json-editor.js'));

/** The body of the request: only what differs from the defaults. Its edits change the form. */
export function JsonPanel({ capture: { form, setText } }: { readonly capture: CaptureForm }) {
  const secrets = secretsOf(requestOf(form));
  return (
    <Stack gap="xs">
      <Group justify="space-between" wrap="nowrap">
        <Text c="dimmed">
          Only the options that differ from the defaults. The form and this text stay the same.
        </Text>
        <CopyButton value={form.text} label="the JSON" />
      </Group>
      <ErrorBoundary>
        <Suspense fallback={<Skeleton h={240} role="status" aria-label="Loading the editor" />}>
          <JsonEditor text={form.text} onChange={setText} />
        </Suspense>
      </ErrorBoundary>
      <Text role="status" c={form.textFault === undefined ? 'dimmed' : 'red.8'} className="breaks" mih={20}>
        {form.textFault ?? (secrets.length > 0 && `It contains secrets: ${secrets.join(', ')}.`)}
      </Text>
    </Stack>
  );
}
