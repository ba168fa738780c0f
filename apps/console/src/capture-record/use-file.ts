import type { CaptureRecord, FileRecord } from '@capture-service/client';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../api/client.js';
import { nameToRead } from './files.js';

/** The bytes of a file of a capture. A file never changes. */
export function useFile(record: CaptureRecord, file: FileRecord) {
  const { client } = useApi();
  return useQuery({
    queryKey: ['capture-file', record.id, file.name],
    queryFn: ({ signal }) => client.captures.file(record.id, nameToRead(record, file), { signal }),
    staleTime: Infinity,
  });
}
