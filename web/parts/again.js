/** Jobs of the worker that take the place of one that is still running. */

/**
 * Starts a job after another was stopped. A job that does not stop soon takes the worker with it,
 * and all that waits there; then this job is started once more.
 *
 * @param {() => Promise<object>} start starts the job
 * @param {{stopped: boolean, signal: AbortSignal}} options `stopped`: whether another job was
 *   stopped for this one
 */
export async function startAgain(start, { stopped, signal }) {
  try {
    return await start();
  } catch (error) {
    if (!stopped || signal.aborted) throw error;
    return start();
  }
}
