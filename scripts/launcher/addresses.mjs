/** The address of each application, by the variables that set it; the defaults are those of libs/config. */
const APPS = {
  api: { variable: 'PORT', hostVariable: 'HOST', port: 3000 },
  worker: { variable: 'WORKER_PORT', hostVariable: 'WORKER_HOST', port: 3001 },
};

export function addressOf(app, env) {
  const { variable, hostVariable, port } = APPS[app];
  return { variable, port: Number(env[variable] || port), host: env[hostVariable] || '127.0.0.1' };
}

/** A URL at which this machine reaches the application. */
export function urlOf(app, env) {
  const { port, host } = addressOf(app, env);
  const reachable =
    { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host);
  return `http://${reachable}:${port}`;
}
