/** The channel on which the trigger of the jobs says that the last row of a batch has ended; the payload is its id. */
export const BATCH_FINISHED = 'capture_batch_finished';
