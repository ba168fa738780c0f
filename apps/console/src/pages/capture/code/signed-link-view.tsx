import type { LinkOptions } from '@capture-service/client';
import { Group, Skeleton, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../../api/client.js';
import { CopyButton } from '../../../ui/copy-button.js';
import { time } from '../../../ui/format.js';
import { ProblemAlert } from '../../../ui/problem-alert.js';
import type { Values } from '../form/options.js';
import classes from './code.module.css';

/** A person still types for so long. */
const PAUSE_MS = 500;

/** The link to a request. Signing captures and charges nothing. */
export function useSignedLink(request: Values, lifeS: number | undefined) {
  const { client } = useApi();
  const [options] = useDebouncedValue(JSON.stringify(request), PAUSE_MS);
  return useQuery({
    queryKey: ['capture-form', 'link', options, lifeS],
    queryFn: ({ signal }) =>
      client.links.sign(JSON.parse(options) as LinkOptions, { expiresInS: lifeS ?? 0 }, { signal }),
    enabled: lifeS !== undefined,
    retry: false,
    staleTime: Infinity,
  });
}

/** The link itself, or why there is none. */
export function SignedLinkView({ data, error }: Pick<ReturnType<typeof useSignedLink>, 'data' | 'error'>) {
  if (error) return <ProblemAlert error={error} title="These options cannot be put into a link" />;
  if (!data) return <Skeleton h={72} role="status" aria-label="Signing the link" />;
  const picture = `<img src="${data.url}" alt="">`;
  return (
    <Stack gap={4}>
      <Group justify="space-between" wrap="nowrap">
        <Text c="dimmed">
          Everyone with this link can see the capture
          {data.expires_at !== null && ` until ${time(data.expires_at)}`}.
        </Text>
        <Group gap={0} wrap="nowrap">
          <CopyButton value={data.url} label="the link" />
          <CopyButton value={picture} label="the <img> element" />
        </Group>
      </Group>
      <div className={classes.link} data-link>
        {data.url}
      </div>
    </Stack>
  );
}
