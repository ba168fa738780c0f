import { Anchor } from '@mantine/core';
import type { CrawlRecord } from '@capture-service/client';
import { Link } from 'wouter';
import { CopyButton } from '../../ui/copy-button.js';
import { Facts } from '../../ui/facts.js';
import { count } from '../../ui/format.js';
import { Panel } from '../../ui/panel.js';
import { TimeText } from '../../ui/time-text.js';
import { ROBOTS, SAME, SOURCES } from './crawl-text.js';

/** The rules of the crawl, and when it was made. */
export function CrawlFacts({ crawl }: { readonly crawl: CrawlRecord }) {
  const { id, batch_id: batchId, finished_at: finished } = crawl;
  const facts = [
    { label: 'Start', value: crawl.url },
    { label: 'Source', value: SOURCES[crawl.source] },
    { label: 'Stays on', value: SAME[crawl.same] },
    { label: 'Pages at most', value: count(crawl.limit) },
    { label: 'Links at most', value: count(crawl.max_depth) },
    { label: 'Pages alike at most', value: count(crawl.limit_per_pattern) },
    { label: 'Only', value: lines(crawl.include) },
    { label: 'Not', value: lines(crawl.exclude) },
    { label: 'robots.txt', value: ROBOTS[crawl.robots] },
    { label: 'Started', value: <TimeText iso={crawl.created_at} /> },
    { label: 'Ended', value: finished !== null && <TimeText iso={finished} /> },
    {
      label: 'Id',
      value: (
        <>
          {id} <CopyButton value={id} label="the id" />
        </>
      ),
    },
  ];
  return (
    <Panel
      title="Crawl"
      aside={
        batchId !== null && (
          <Anchor component={Link} href={`/batches/${batchId}`} fz="sm">
            Its batch
          </Anchor>
        )
      }
    >
      <Facts facts={facts.filter(({ value }) => value !== false)} />
    </Panel>
  );
}

/** Null for none, which is left out. */
function lines(texts: readonly string[]) {
  return texts.length === 0 ? null : texts.map((text) => <div key={text}>{text}</div>);
}
