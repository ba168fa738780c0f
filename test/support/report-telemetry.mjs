// Loaded by NODE_OPTIONS: prints the modules of OpenTelemetry that a process loads.
import { registerHooks } from 'node:module';

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    const [, name] = /@opentelemetry\/([^/]+)/.exec(resolved.url) ?? [];
    if (name) process.stderr.write(`loads opentelemetry ${name}\n`);
    return resolved;
  },
});
