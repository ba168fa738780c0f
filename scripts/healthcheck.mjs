// The HEALTHCHECK of the image: succeeds when the application of this container, which is the API or the worker, is ready.
const { PORT, WORKER_PORT } = process.env;

const isReady = async (port) => {
  const { ok } = await fetch(`http://127.0.0.1:${port}/readyz`);
  return ok || Promise.reject(new Error(`/readyz at port ${port} fails`));
};

await Promise.any([PORT || '3000', WORKER_PORT || '3001'].map(isReady)).catch(({ errors }) => {
  console.error(errors.map(({ message }) => message).join('; '));
  process.exitCode = 1;
});
