import { Injectable } from '@nestjs/common';
import type { ChangeReport } from '@app/capture';
import { FileLinksService } from '@app/jobs';
import type { ChangeFiles, ChangePictures, CheckRecord } from '../monitor-record.js';

/** A check whose files everybody may open who gets its event, and small pictures of its change. */
export interface LinkedCheck {
  readonly check: CheckRecord;
  readonly pictures: ChangePictures | null;
}

/** Gives events links that need no key, because people read them who have none. */
@Injectable()
export class ChangeLinksService {
  constructor(private readonly links: FileLinksService) {}

  /** The same check with its paths when the service does not know its own address. */
  withLinks(check: CheckRecord): LinkedCheck {
    const { change, files, capture_ids: captureIds } = check;
    const afterId = captureIds.at(-1);
    if (change === null || files === null || afterId === undefined) return { check, pictures: null };
    const ids = { beforeId: change.compared_with, afterId };
    const linked = this.filesOf(ids);
    if (linked === null) return { check, pictures: null };
    const smallAt = middleOf(change);
    const small = smallAt === null ? null : this.filesOf({ ...ids, smallAt });
    const pictures = small && { before: small.before, after: small.after, marked: small.diff };
    return { check: { ...check, files: linked }, pictures };
  }

  private filesOf({
    beforeId,
    afterId,
    ...part
  }: {
    readonly beforeId: string;
    readonly afterId: string;
    readonly smallAt?: number;
  }): ChangeFiles | null {
    const before = this.links.linkTo({ captureId: beforeId, name: null, ...part });
    const after = this.links.linkTo({ captureId: afterId, name: null, ...part });
    const diff = this.links.linkTo({ captureId: afterId, name: 'diff', ...part });
    return before === null || after === null || diff === null ? null : { before, after, diff };
  }
}

/** Where the largest part that changed is, in px from the top; null for a text, which has no such parts. */
function middleOf({ boxes }: ChangeReport): number | null {
  const [largest] = [...boxes].sort((a, b) => b.width * b.height - a.width * a.height);
  return largest === undefined ? null : Math.round(largest.y + largest.height / 2);
}
