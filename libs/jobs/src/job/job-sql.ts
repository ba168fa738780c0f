/** A condition: the job has ended, or its record is gone. */
export function hasEnded(jobId: string): string {
  return `NOT EXISTS (SELECT FROM jobs WHERE id = ${jobId} AND status IN ('queued', 'running'))`;
}
