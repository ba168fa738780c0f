import { ActionIcon, Code, Group, Skeleton, Stack, Text, Tooltip } from '@mantine/core';
import { EyeClosedIcon, EyeOpenIcon } from '@radix-ui/react-icons';
import type { WebhookSecret } from '@capture-service/client';
import { useState } from 'react';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { CopyButton } from '../../ui/copy-button.js';
import { time } from '../../ui/format.js';
import { Panel } from '../../ui/panel.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { TimeText } from '../../ui/time-text.js';
import { useNow } from '../../ui/use-now.js';
import { useRotation, useSecret } from './webhook-queries.js';
import classes from './webhooks.module.css';

const PREVIOUS_SIGNS_MS = 24 * 3_600_000;
const RENEWED_MS = 1_000;

/** The secret that signs the webhooks of the account. It is hidden until it is revealed. */
export function SecretPanel() {
  const { data, error } = useSecret();
  return (
    <Panel title="Signing secret" aside={data && <Rotation secret={data} />}>
      {data && <Secret secret={data} />}
      {!data && error && <ProblemAlert error={error} />}
      {!data && !error && <Skeleton h={96} role="status" aria-label="Loading" />}
    </Panel>
  );
}

function Secret({ secret: { secret, created_at: createdAt, previous_until: until } }: SecretProps) {
  const [isShown, setIsShown] = useState(false);
  const verb = isShown ? 'Hide' : 'Reveal';
  return (
    <Stack gap="xs">
      <Group gap={4} wrap="nowrap">
        <Code className={classes.secret} data-hidden={!isShown || undefined}>
          {isShown ? secret : 'whsec_••••••••••••••••••••••••••••••••'}
        </Code>
        <Tooltip label={verb}>
          <ActionIcon aria-label={`${verb} the secret`} onClick={() => setIsShown(!isShown)}>
            {isShown ? <EyeClosedIcon /> : <EyeOpenIcon />}
          </ActionIcon>
        </Tooltip>
        <CopyButton value={secret} label="the secret" />
      </Group>
      <Text c="dimmed">
        It signs every webhook of the account. Created <TimeText iso={createdAt} />.
      </Text>
      <Text c="dimmed" role="status">
        {until === null
          ? 'It is the only secret in use.'
          : `The previous secret also signs until ${time(until)}.`}
      </Text>
    </Stack>
  );
}

interface SecretProps {
  readonly secret: WebhookSecret;
}

function Rotation({ secret: { previous_until: until } }: SecretProps) {
  const { mutateAsync, isPending, error, reset } = useRotation();
  const switchBy = time(new Date(useNow(RENEWED_MS) + PREVIOUS_SIGNS_MS).toISOString());
  return (
    <ConfirmButton
      label="Rotate"
      title="Rotate the signing secret?"
      onConfirm={mutateAsync}
      isPending={isPending}
      error={error}
      onOpen={reset}
    >
      <Text>
        From now on a new secret signs every webhook. The current secret also signs for 24 hours, so that you
        can change your receivers until {switchBy}.
      </Text>
      {until !== null && (
        <Text fw={600}>
          The secret before it, which would still sign until {time(until)}, stops signing at once.
        </Text>
      )}
      <Text c="dimmed">Another rotation within the next minute has no effect.</Text>
    </ConfirmButton>
  );
}
