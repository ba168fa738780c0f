export default async function tearDown() {
  const services = globalThis.testServices;
  globalThis.testServices = undefined;
  await services?.stop();
}
