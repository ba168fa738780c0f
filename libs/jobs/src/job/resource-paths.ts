/**
 * The paths of the HTTP API that records, webhooks and exports contain. They are the only paths that code below apps/
 * knows: the records of webhooks and of idempotent responses are written inside transactions of the libraries.
 */

export function captureResultPath(id: string): string {
  return `/v1/captures/${id}/result`;
}

/** The path of one of several files. */
export function captureFilePath(id: string, name: string): string {
  return `/v1/captures/${id}/files/${name}`;
}

/** The routes of files by signed links. */
export const LINKED_FILES_PATH = '/v1/files';

/** The path of a file by a signed link. @param name null for the first one */
export function linkedFilePath(captureId: string, name: string | null): string {
  const first = `${LINKED_FILES_PATH}/${captureId}`;
  return name === null ? first : `${first}/${name}`;
}

export function batchResultsPath(id: string): string {
  return `/v1/bulk/${id}/results`;
}

export function batchDownloadPath(id: string): string {
  return `/v1/bulk/${id}/download`;
}

export function crawlPagesPath(crawlId: string): string {
  return `/v1/crawls/${crawlId}/pages`;
}
