import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** The rows of the table `crawl_robots`: robots.txt is fetched once for each origin of a crawl, whichever process goes on with it. */
@Injectable()
export class RobotsRepository {
  constructor(private readonly source: DataSource) {}

  async find(crawlId: string, origin: string): Promise<string | null> {
    const [row] = await this.source.query<{ content: string }[]>(
      `SELECT content FROM crawl_robots WHERE crawl_id = $1 AND origin = $2`,
      [crawlId, origin],
    );
    return row?.content ?? null;
  }

  async count(crawlId: string): Promise<number> {
    const [row] = await this.source.query<{ count: number }[]>(
      `SELECT count(*)::int AS count FROM crawl_robots WHERE crawl_id = $1`,
      [crawlId],
    );
    return row?.count ?? 0;
  }

  async add(crawlId: string, origin: string, content: string): Promise<void> {
    await this.source.query(
      `INSERT INTO crawl_robots (crawl_id, origin, content) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
      [crawlId, origin, content],
    );
  }
}
