import { Alert, Box, Group, SegmentedControl, Select, Stack, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useState } from 'react';
import { CopyButton } from '../../../ui/copy-button.js';
import { secretsOf } from '../form/form-link.js';
import type { Values } from '../form/options.js';
import classes from './code.module.css';
import { KEY_VARIABLE, type CodeRequest } from './code-request.js';
import { curlCode } from './curl.js';
import { LANGUAGES } from './languages.js';
import { SignedLinkView, useSignedLink } from './signed-link-view.js';

const CALLS = [
  { value: 'capture', label: 'Capture' },
  { value: 'link', label: 'Signed link' },
];
const DAY_S = 86_400;
const LIVES = [
  { value: String(DAY_S), label: '1 day' },
  { value: String(30 * DAY_S), label: '30 days' },
  { value: String(365 * DAY_S), label: '1 year' },
];

/** Code that makes the same request from a program. */
export function CodePanel({ request }: { readonly request: Values }) {
  const [call, setCall] = useState('capture');
  const [lifeS, setLifeS] = useState(30 * DAY_S);
  const linkLifeS = call === 'link' ? lifeS : undefined;
  const link = useSignedLink(request, linkLifeS);
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <SegmentedControl data={CALLS} value={call} onChange={setCall} aria-label="Call" />
        {call === 'link' && (
          <Select
            data={LIVES}
            value={String(lifeS)}
            onChange={(value) => setLifeS(Number(value))}
            allowDeselect={false}
            aria-label="How long the link is valid"
            w={96}
          />
        )}
      </Group>
      {call === 'link' && <SignedLinkView data={link.data} error={link.error} />}
      {!link.error && <CodeView request={{ baseUrl: location.origin, options: request, linkLifeS }} />}
    </Stack>
  );
}

function CodeView({ request }: { readonly request: CodeRequest }) {
  const [language, setLanguage] = useLocalStorage({ key: 'capture-console-language', defaultValue: 'curl' });
  const { code = curlCode } = LANGUAGES.find(({ value }) => value === language) ?? {};
  const text = code(request);
  const secrets = secretsOf(request.options);
  return (
    <>
      <Group justify="space-between" gap="xs">
        <SegmentedControl
          data={LANGUAGES.map(({ value, label }) => ({ value, label }))}
          value={language}
          onChange={setLanguage}
          aria-label="Language"
        />
        <CopyButton value={text} label="the code" />
      </Group>
      <Box component="pre" className={classes.code} tabIndex={0} aria-label="Code">
        {text}
      </Box>
      <Text c="dimmed">
        The API key is read from the environment variable {KEY_VARIABLE}
        {language === 'typescript' && ', and the SDK is @capture-service/client'}.
      </Text>
      {secrets.length > 0 && <Alert color="yellow">The code contains secrets: {secrets.join(', ')}.</Alert>}
    </>
  );
}
