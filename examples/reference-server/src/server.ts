import closeWithGrace from 'close-with-grace';
import { buildApp } from './app.js';
import { developmentBanner, startFacts } from './commands/start-banner.js';
import { settingRows } from './config/config.js';
import { readStartConfig } from './preflight/start-check.js';

/** How long requests in progress may take to end after a signal, in milliseconds. */
const GRACE_MILLIS = 10_000;

function printSettings(): void {
  const entries = settingRows.map(
    ({ variable, type, default: value, meaning }) => `${variable}\n    ${meaning}\n    ${type}; default: ${value}`,
  );
  process.stdout.write(`Every setting is an environment variable:\n\n${entries.join('\n')}\n`);
}

async function serve(): Promise<void> {
  const config = await readStartConfig(process.env);
  const app = await buildApp(config);
  closeWithGrace({ delay: GRACE_MILLIS, logger: app.log }, async function stop({ err, signal }) {
    if (err !== undefined) app.log.fatal({ err }, 'stopping after an uncaught error');
    else app.log.info(`${signal ?? 'close'}: stopping once the requests in progress are answered`);
    await app.close();
  });
  try {
    await app.listen({ host: config.host, port: config.port });
  } catch (error) {
    await app.close();
    throw error;
  }
  const { backend } = app.envelopeCrypto;
  app.log.info(startFacts(config, backend), 'serving');
  if (config.profile === 'development') process.stdout.write(developmentBanner(config, backend, app.listeningOrigin));
}

if (process.argv.includes('--help') || process.argv.includes('-h')) {
  printSettings();
} else {
  await serve().catch((error: unknown) => {
    process.stderr.write(`The server did not start. ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
}
