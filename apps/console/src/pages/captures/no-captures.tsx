import { Button, Code, Stack } from '@mantine/core';
import { CameraIcon } from '@radix-ui/react-icons';
import { Link, useSearchParams } from 'wouter';
import { EmptyState } from '../../ui/empty-state.js';
import { withoutFilters } from './filters.js';

/** Stands in the place of the list until there is a first capture. */
export function NoCaptures() {
  const command = `curl ${location.origin}/v1/capture -o capture.png \\
  -H 'Authorization: Bearer <your API key>' \\
  -H 'Content-Type: application/json' \\
  -d '{"url":"https://example.com"}'`;
  return (
    <EmptyState
      title="No captures yet"
      action={
        <Stack align="center" w="100%">
          <Button component={Link} href="/capture" leftSection={<CameraIcon aria-hidden />}>
            Make your first capture
          </Button>
          <Code block ta="left" className="breaks" maw="100%" tabIndex={0} aria-label="Command">
            {command}
          </Code>
        </Stack>
      }
    >
      Try a page in the form, or send this request. Every capture made with a key of this account appears
      here.
    </EmptyState>
  );
}

export function NoMatches() {
  const [, setQuery] = useSearchParams();
  return (
    <EmptyState
      title="No captures match"
      action={
        <Button variant="default" onClick={() => setQuery(withoutFilters)}>
          Clear the filters
        </Button>
      }
    >
      The search finds parts of URLs and titles; host and reference match as a whole. New captures that match
      appear here.
    </EmptyState>
  );
}
