/** The address of each application and of its metrics, by the variables that set it; the defaults are those of libs/config. */
const SERVERS = {
  api: { variable: 'PORT', hostVariable: 'HOST', port: 3000 },
  worker: { variable: 'WORKER_PORT', hostVariable: 'WORKER_HOST', port: 3001 },
  'metrics of the api': { variable: 'METRICS_PORT', hostVariable: 'METRICS_HOST', port: 3002 },
  'metrics of the worker': { variable: 'WORKER_METRICS_PORT', hostVariable: 'METRICS_HOST', port: 3003 },
};

export const APPS = ['api', 'worker'];
export const METRICS = ['metrics of the api', 'metrics of the worker'];

export function addressOf(server, env) {
  const { variable, hostVariable, port } = SERVERS[server];
  return { variable, port: Number(env[variable] || port), host: env[hostVariable] || '127.0.0.1' };
}

/** A URL at which this machine reaches the server. */
export function urlOf(server, env) {
  const { port, host } = addressOf(server, env);
  const reachable =
    { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host);
  return `http://${reachable}:${port}`;
}
