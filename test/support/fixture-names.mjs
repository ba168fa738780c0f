// Loaded into the processes of the service by NODE_OPTIONS: gives each host name in FIXTURE_NAMES the address 127.0.0.1, as
// a name server would. A page can then load from hosts that the filter lists know, and the requests stay on this machine.
import dns from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';

const names = new Set(process.env.FIXTURE_NAMES?.split(','));
const { lookup } = dns;
const found = { address: '127.0.0.1', family: 4 };

dns.lookup = async (host, options) => {
  if (!names.has(host)) return lookup(host, options);
  return options?.all ? [found] : found;
};
syncBuiltinESMExports();
