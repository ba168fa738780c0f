/** What a worker answers with: a result, or why there is none. */
export type WorkerAnswer<Result> = { readonly result: Result } | { readonly error: string };

/** Asks a worker one question, and ends it. */
export function inWorker<Result>(
  start: () => Worker,
  question: unknown,
  signal: AbortSignal,
): Promise<Result> {
  const worker = start();
  const answer = new Promise<Result>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<WorkerAnswer<Result>>) =>
      'error' in data ? reject(new Error(data.error)) : resolve(data.result);
    worker.onerror = ({ message }) => reject(new Error(message || 'The comparison could not start'));
    signal.addEventListener('abort', () => reject(new DOMException('Aborted', 'AbortError')));
    worker.postMessage(question);
  });
  return answer.finally(() => worker.terminate());
}
