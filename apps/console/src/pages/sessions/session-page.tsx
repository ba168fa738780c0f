import { Anchor, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { CaptureError, type CaptureFile, type SessionRecord } from '@capture-service/client';
import { useCallback } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { ConfirmButton } from '../../ui/confirm-button.js';
import { Facts } from '../../ui/facts.js';
import { BackLink } from '../../ui/back-link.js';
import { PageHeader } from '../../ui/page-header.js';
import { Panel } from '../../ui/panel.js';
import { ProblemAlert } from '../../ui/problem-alert.js';
import { TimeText } from '../../ui/time-text.js';
import { SessionState } from './session-state.js';
import { stateText } from './state-text.js';
import { useDeletion, useLogIn, useOneSession, useSessionPicture } from './session-queries.js';
import classes from './sessions.module.css';

/** One session: its state as it changes, what its last log-in saw, and why it failed. */
export default function SessionPage() {
  const { id = '' } = useParams<{ id: string }>();
  const { data, error, refetch } = useOneSession(id);
  return (
    <Stack gap="md">
      <BackLink href="/sessions">Sessions</BackLink>
      <PageHeader title={data?.name ?? 'Session'}>
        {data && data.status !== 'revoked' && <Buttons session={data} />}
      </PageHeader>
      {data && <Session session={data} />}
      {!data && error && <ProblemAlert error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton h="24rem" role="status" aria-label="Loading" />}
    </Stack>
  );
}

function Buttons({ session }: { readonly session: SessionRecord }) {
  const { mutate, isPending, error } = useLogIn(session.id);
  const capture = JSON.stringify({ url: session.origins[0], session: session.name });
  return (
    <>
      <Button component={Link} href={`/capture?options=${encodeURIComponent(capture)}`} variant="default">
        Capture a page
      </Button>
      {session.login_url !== null && (
        <Button
          variant="default"
          loading={isPending}
          disabled={session.is_logging_in}
          onClick={() => mutate()}
        >
          Log in again
        </Button>
      )}
      <Delete session={session} />
      {error && <ProblemAlert error={error} />}
    </>
  );
}

function Delete({ session }: { readonly session: SessionRecord }) {
  const [, navigate] = useLocation();
  const { mutateAsync, isPending, error, reset } = useDeletion(session.id);
  return (
    <ConfirmButton
      label="Delete"
      title="Delete this session?"
      onConfirm={() => mutateAsync().then(() => navigate('/sessions'))}
      isPending={isPending}
      error={error}
      onOpen={reset}
    >
      <Text className="breaks">
        The state and the secrets of {session.name} are deleted at once. Captures that run go on; later ones
        that name it are refused.
      </Text>
    </ConfirmButton>
  );
}

function Session({ session }: { readonly session: SessionRecord }) {
  const { error } = session;
  return (
    <>
      <Group gap="xs" role="status">
        <SessionState session={session} />
        <Text c="dimmed">{stateText(session)}</Text>
      </Group>
      {error && (
        <ProblemAlert
          title="The last log-in or check failed"
          error={CaptureError.ofCapture(error, session.capture_id ?? '')}
        />
      )}
      <SessionFacts session={session} />
      {session.picture_url !== null && <Picture session={session} />}
    </>
  );
}

function SessionFacts({ session }: { readonly session: SessionRecord }) {
  const { check, logged_in_at: loggedInAt, checked_at: checkedAt, expires_at: expiresAt } = session;
  const facts = [
    { label: 'Origins', value: session.origins.join(', ') },
    { label: 'Log-in', value: session.login_url },
    { label: 'Check', value: check && `${check.selector} at ${check.url}` },
    { label: 'Logged in', value: loggedInAt && <TimeText iso={loggedInAt} /> },
    { label: 'Last check', value: checkedAt && <TimeText iso={checkedAt} /> },
    { label: 'Expires', value: expiresAt && <TimeText iso={expiresAt} /> },
    { label: 'Created', value: <TimeText iso={session.created_at} /> },
    { label: 'Failures in a row', value: session.failures },
    { label: 'States so far', value: session.generation },
    { label: 'Id', value: session.id },
  ];
  return (
    <Panel title="Session">
      <Facts facts={facts} />
    </Panel>
  );
}

/** What the last log-in saw. Its address is the same for each log-in, so that an `<img>` of it would stay as it was. */
function Picture({ session }: { readonly session: SessionRecord }) {
  const { id, name, capture_id: capture } = session;
  const { data, error } = useSessionPicture(id, capture);
  const show = useContent(data);
  return (
    <Panel
      title="What the last log-in saw"
      aside={
        capture !== null && (
          <Anchor component={Link} href={`/captures/${capture}`}>
            Show its record
          </Anchor>
        )
      }
    >
      {error && <ProblemAlert error={error} />}
      {data && (
        <img
          ref={show}
          className={classes.picture}
          alt={`The page at the end of the last log-in of ${name}`}
        />
      )}
    </Panel>
  );
}

/** Puts the file into the image for as long as the image is there. */
function useContent(file: CaptureFile | undefined) {
  return useCallback(
    (image: HTMLImageElement | null) => {
      if (!image || !file) return undefined;
      const url = URL.createObjectURL(new Blob([file.bytes], { type: file.contentType }));
      image.src = url;
      return () => URL.revokeObjectURL(url);
    },
    [file],
  );
}
