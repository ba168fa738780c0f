import { Choice, Text, Whole } from '@app/kernel';

const MINUTE_MS = 60_000;

/** The slots of a worker and their browsers. */
export class BrowserEnv {
  @Text(
    'Number of captures that a worker runs at once, 1 to 64; each slot has its own browser. `auto`: as many as the cores and the ' +
      'memory of the worker allow, at least 2; the log says how many and why.',
    {
      max: 4,
      pattern: /^(auto|[1-9]|[1-5]\d|6[0-4])$/,
      message: 'must be auto or a whole number from 1 to 64',
    },
  )
  WORKER_SLOTS: string | number = 'auto';

  @Text(
    'Path of the browser. Unset: the system’s headless shell or Chromium, else Puppeteer’s download, else the build from npm.',
    { max: 1_000 },
  )
  PUPPETEER_EXECUTABLE_PATH?: string;

  @Text('Library path for the browser only; `npm start` sets it for the build from npm.', { max: 4_000 })
  BROWSER_LIBRARY_PATH?: string;

  @Text('fontconfig file for the browser only; `npm start` sets it if the system lacks fonts.', {
    max: 1_000,
  })
  BROWSER_FONTCONFIG_FILE?: string;

  @Choice(
    ['on', 'off'],
    'Chromium’s sandbox. `on`: a worker without a working sandbox does not start. `off`: use only if the worker is isolated by other means.',
  )
  CHROMIUM_SANDBOX = 'on';

  @Whole('Maximum number of background captures of the same host at once, across all accounts and workers.', {
    min: 1,
    max: 1_000,
  })
  HOST_CONCURRENCY = 4;

  @Whole(
    'How much lower the priority of browsers is than that of the worker, 0 to 19, as for nice(1). With 10, finished captures are ' +
      'stored and answered while others compute. `npm start` uses 0, because captures would be slow beside other programs.',
    { min: 0, max: 19 },
  )
  BROWSER_NICENESS = 10;

  @Whole('Number of captures after which a browser is replaced.', { min: 1, max: 100_000 })
  BROWSER_MAX_CAPTURES = 100;

  @Whole('Age in ms at which a browser is replaced.', { min: 1_000, max: 24 * 60 * MINUTE_MS })
  BROWSER_MAX_AGE_MS = 60 * MINUTE_MS;

  @Whole(
    'Maximum memory in bytes of one browser with all its processes; shared memory counts once. A capture that exceeds it ' +
      'fails with `resource_limit`. Linux only. If WORKER_SLOTS is a number, keep it times this value below the memory of the worker.',
    { min: 268_435_456, max: 68_719_476_736 },
  )
  // Rendering and compressing the largest image, 100 megapixels, takes 1.66 GB.
  BROWSER_MAX_MEMORY_BYTES = 2_147_483_648;

  @Whole(
    'Maximum number of processes of one browser. A capture that exceeds it fails with `resource_limit`. Linux only. A ' +
      'browser with site isolation (the headless shell has none) starts one for each site in a frame.',
    { min: 10, max: 10_000 },
  )
  BROWSER_MAX_PROCESSES = 100;

  @Whole(
    'Maximum number of bytes that one capture may load, after decompression. A capture that exceeds it fails with `resource_limit`.',
    { min: 1_048_576, max: 10_737_418_240 },
  )
  BROWSER_MAX_DECODED_BYTES = 209_715_200;
}
