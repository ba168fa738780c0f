import {
  Alert,
  Anchor,
  Button,
  Center,
  Code,
  Divider,
  Group,
  Paper,
  PasswordInput,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import { useDocumentTitle, useWindowEvent } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState, type FormEvent } from 'react';
import { useLocation } from 'wouter';
import { ProblemAlert } from '../ui/problem-alert.js';
import { signOnUrl } from './session-api.js';
import { useSession } from './session-context.js';

/** Logs in with the link that `npm start` prints, whose token is in the fragment, or with an API key. */
export function LogInPage() {
  useDocumentTitle('Log in · Capture Service');
  const { logIn, keys, hasEnded, hasSingleSignOn, error } = useSession();
  const [location, navigate] = useLocation();
  const attempt = useMutation({
    mutationFn: logIn,
    onSuccess: () => {
      if (location === '/log-in') navigate('/', { replace: true });
    },
  });
  const link = useLogInLink(keys.length > 0, attempt.mutate);
  const problem = attempt.error ?? (keys.length === 0 ? error : null);
  return (
    <Center mih="100dvh" p="md">
      <Paper component="main" withBorder p="xl" w="100%" maw="26rem" radius="lg">
        <Stack gap="md">
          <Title order={1}>Capture Service</Title>
          {hasEnded && (
            <Alert color="yellow" role="status">
              The session has ended, or its key was revoked. Log in again to go on.
            </Alert>
          )}
          {link !== undefined && (
            <LinkQuestion
              isBusy={attempt.isPending}
              onAdd={() => attempt.mutate({ log_in: link })}
              onLeave={() => navigate('/', { replace: true })}
            />
          )}
          {hasSingleSignOn && <SignOnButton page={location} />}
          <KeyForm isBusy={attempt.isPending} onSubmit={(key) => attempt.mutate({ key })} />
          {problem !== null && <ProblemAlert error={problem} title="The log-in failed" />}
          <Hint />
        </Stack>
      </Paper>
    </Center>
  );
}

function SignOnButton({ page }: { readonly page: string }) {
  return (
    <>
      <Button component="a" href={signOnUrl(page === '/log-in' ? '/' : page)} size="sm" fullWidth>
        Log in with single sign-on
      </Button>
      <Divider label="or" />
    </>
  );
}

function Hint() {
  return (
    <Text size="xs" c="dimmed">
      On the machine that runs the service, <Code>npm start</Code> prints a link that logs in once. The{' '}
      <Anchor href="/docs" size="xs">
        API reference
      </Anchor>{' '}
      needs no key.
    </Text>
  );
}

interface KeyFormProps {
  readonly isBusy: boolean;
  onSubmit(key: string): void;
}

function KeyForm({ isBusy, onSubmit }: KeyFormProps) {
  const [key, setKey] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (key.trim() !== '') onSubmit(key.trim());
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <PasswordInput
          label="API key"
          description="It is exchanged for a session cookie and is not kept in the browser."
          placeholder="cap_…"
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          autoFocus
          size="sm"
        />
        <Button type="submit" loading={isBusy} disabled={key.trim() === ''} size="sm" fullWidth>
          Log in
        </Button>
      </Stack>
    </form>
  );
}

/**
 * Takes the token out of the address and uses it. Where a session exists it is returned instead: a link from a stranger must
 * not add the stranger's account, in which a person would then work, without a question.
 */
function useLogInLink(isLoggedIn: boolean, logIn: (body: { log_in: string }) => void): string | undefined {
  const [token] = useState(() => (location.pathname.endsWith('/log-in') ? location.hash.slice(1) : ''));
  const [asksFirst] = useState(isLoggedIn);
  const used = useRef(false);
  useEffect(() => {
    if (token === '' || used.current) return;
    used.current = true;
    history.replaceState(null, '', location.pathname);
    if (!asksFirst) logIn({ log_in: token });
  }, [token, asksFirst, logIn]);
  // Another link that is opened in this tab changes the fragment only.
  useWindowEvent('hashchange', () => location.reload());
  return asksFirst && token !== '' ? token : undefined;
}

interface LinkQuestionProps {
  readonly isBusy: boolean;
  onAdd(): void;
  onLeave(): void;
}

function LinkQuestion({ isBusy, onAdd, onLeave }: LinkQuestionProps) {
  return (
    <Alert color="yellow" title="You are logged in already">
      <Stack gap="sm">
        <Text>
          The link adds its account to this session and shows it. Add it only if you made the link yourself.
        </Text>
        <Group gap="xs">
          <Button onClick={onAdd} loading={isBusy}>
            Add the account
          </Button>
          <Button variant="default" onClick={onLeave}>
            Continue without it
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}
