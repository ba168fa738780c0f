import { hasEnded, type JobOptions } from '@capture-service/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useApi } from '../../../api/client.js';
import type { Values } from '../form/options.js';

/** Runs the request as a job and follows the latest one, also after the person was on other pages. */
export function useRun() {
  const { client, keyId } = useApi();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const latest = ['capture-form', keyId, 'job'];
  const inAddress = new URLSearchParams(useSearch()).get('job') ?? undefined;
  const [jobId, setJobId] = useState(() => inAddress ?? queries.getQueryData<string>(latest));
  const submission = useMutation({
    mutationFn: (request: Values) => client.jobs.create(request as unknown as JobOptions),
    onSuccess: (job) => {
      queries.setQueryDefaults(latest, { gcTime: Infinity });
      queries.setQueryData(latest, job.id);
      queries.setQueryData(['capture-job', job.id], job);
      setJobId(job.id);
      navigate(`/capture?job=${job.id}`, { replace: true });
    },
  });
  const cancellation = useMutation({
    mutationFn: (id: string) => client.jobs.cancel(id),
    onSuccess: (job) => queries.setQueryData(['capture-job', job.id], job),
  });
  return { jobId, submission, cancellation, ...useJob(jobId) };
}

export type Run = ReturnType<typeof useRun>;

/** A job, renewed by its events until it has ended. */
function useJob(id: string | undefined) {
  const { client } = useApi();
  const queries = useQueryClient();
  const [lost, setLost] = useState<{ readonly id: string; readonly error: unknown }>();
  const { data, error, refetch } = useQuery({
    queryKey: ['capture-job', id],
    queryFn: ({ signal }) => client.jobs.get(id ?? '', { signal }),
    enabled: id !== undefined,
    // The events renew it.
    staleTime: Infinity,
  });
  const isRunning = data !== undefined && !hasEnded(data);
  useEffect(() => {
    if (id === undefined || !isRunning) return undefined;
    const leaving = new AbortController();
    const follow = async () => {
      for await (const job of client.jobs.events(id, { signal: leaving.signal }))
        queries.setQueryData(['capture-job', id], job);
    };
    follow().catch((reason: unknown) => {
      if (!leaving.signal.aborted) setLost({ id, error: reason });
    });
    return () => leaving.abort();
  }, [client, queries, id, isRunning]);
  const lostError = lost?.id === id ? lost?.error : undefined;
  const retry = () => {
    setLost(undefined);
    void refetch();
  };
  return { job: id === undefined ? undefined : data, followError: error ?? lostError, retry };
}
