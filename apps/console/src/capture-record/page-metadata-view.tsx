import type { PageMetadata } from '@capture-service/client';
import { Code, ScrollArea, Spoiler, Stack, Text, Title } from '@mantine/core';
import { count } from '../ui/format.js';
import { Facts, type Fact } from '../ui/facts.js';
import { PageLink } from './page-link.js';

const SHOWN_LINKS = 100;

/** What the page says about itself. All of it is text of the page. */
export function PageMetadataView({ page }: { readonly page: PageMetadata }) {
  return (
    <section>
      <Title order={2} size="h3" mb={4}>
        Page
      </Title>
      <Facts facts={[...ownFacts(page), ...propertyFacts(page), ...listFacts(page)]} />
      {page.json_ld.length > 0 && (
        <Spoiler maxHeight={160} showLabel="Show all JSON-LD" hideLabel="Show less" mt="xs">
          <ScrollArea type="auto">
            <Code block dir="auto">
              {JSON.stringify(page.json_ld, null, 2)}
            </Code>
          </ScrollArea>
        </Spoiler>
      )}
      {page.truncated.length > 0 && (
        <Text c="dimmed" mt="xs">
          Incomplete: {page.truncated.join(', ')}
        </Text>
      )}
    </section>
  );
}

function ownFacts(page: PageMetadata): Fact[] {
  return [
    { label: 'Title', value: isolated(page.title) },
    { label: 'Description', value: isolated(page.description) },
    { label: 'Language', value: isolated(page.lang) },
    { label: 'Author', value: isolated(page.author) },
    { label: 'Published', value: isolated(page.published) },
    { label: 'Canonical', value: page.canonical && <PageLink url={page.canonical} /> },
    { label: 'Robots', value: isolated(page.robots) },
    { label: 'Words', value: count(page.words) },
    { label: 'Fonts', value: isolated(page.fonts.join(', ')) },
  ];
}

function propertyFacts({ open_graph: openGraph, twitter }: PageMetadata): Fact[] {
  const named = (prefix: string, values: Record<string, string>) =>
    Object.entries(values).map(([name, value]) => ({ label: `${prefix}:${name}`, value: isolated(value) }));
  return [...named('og', openGraph), ...named('twitter', twitter)];
}

function listFacts({ headings, links, images, feeds, icons }: PageMetadata): Fact[] {
  return [
    { label: 'Headings', value: folded(headings.map(({ level, text }) => `h${level} ${text}`)) },
    { label: 'Links', value: folded(links.map(({ url, text }) => (text ? `${text} → ${url}` : url))) },
    { label: 'Images', value: folded(images.map(({ url, alt }) => (alt ? `${alt}: ${url}` : url))) },
    { label: 'Feeds', value: folded(feeds.map(({ url, title }) => (title ? `${title}: ${url}` : url))) },
    { label: 'Icons', value: folded(icons.map(({ url }) => url)) },
  ];
}

const isolated = (text: string | null) => text && <bdi>{text}</bdi>;

function folded(lines: readonly string[]) {
  if (lines.length === 0) return null;
  return (
    <Spoiler maxHeight={84} showLabel={`Show all ${count(lines.length)}`} hideLabel="Show fewer">
      <Stack gap={2}>
        {lines.slice(0, SHOWN_LINKS).map((line, i) => (
          <bdi key={i} className="breaks">
            {line}
          </bdi>
        ))}
        {lines.length > SHOWN_LINKS && (
          <span>and {count(lines.length - SHOWN_LINKS)} more in the record</span>
        )}
      </Stack>
    </Spoiler>
  );
}
