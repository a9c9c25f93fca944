import { readCommandLine } from '@sallyport/plugin-kit/command-line';
import { closestName } from '@sallyport/plugin-kit/options';
import closeWithGrace from 'close-with-grace';
import { buildApp } from './app.js';
import { developmentBanner, startFacts } from './commands/start-banner.js';
import { settingRows } from './config/config.js';
import { listenFault } from './http/listen-fault.js';
import { loggedError } from './http/logging.js';
import { readStartConfig } from './preflight/start-check.js';
import { failureText } from './storage/failure-text.js';

/** The time limit for requests in progress after a signal, in milliseconds. */
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
  const { host, port } = config;
  try {
    await app.listen({ host, port });
  } catch (error) {
    await app.close();
    throw listenFault(error, { host, port, settings: { host: 'host', port: 'port' } });
  }
  // Installed only here, because it also ends an idle process with status 0.
  closeWithGrace({ delay: GRACE_MILLIS, logger: app.log }, async function stop({ err, signal }) {
    if (err !== undefined) app.log.fatal({ err }, 'stopping after an uncaught error');
    else app.log.info(`${signal ?? 'close'}: stopping once the requests in progress are answered`);
    await app.close();
  });
  const { backend } = app.envelopeCrypto;
  app.log.info(startFacts(config, backend), 'serving');
  if (config.profile === 'development') process.stdout.write(developmentBanner(config, backend, app.listeningOrigin));
}

/** The setting that an option or a word probably meant. */
function settingFor(name: string): string | null {
  const names = settingRows.map(({ variable }) => variable.slice('SERVICE_'.length));
  const meant = closestName(
    name
      .toUpperCase()
      .replace(/[.-]/g, '_')
      .replace(/^SERVICE_/, ''),
    names,
  );
  return meant === null ? null : `set the environment variable SERVICE_${meant} instead`;
}

/** A refusal is one sentence, or a list. Its stack is useful only for finding a fault in the server. */
function refuse(error: unknown): void {
  const frames = process.env.SERVICE_LOG_LEVEL === 'debug' ? `${loggedError(error).stack}\n` : '';
  // A module of the deployment may keep the process alive.
  process.stderr.write(`The server did not start. ${failureText(error)}\n${frames}`, () => process.exit(1));
}

try {
  const { help } = readCommandLine(process.argv.slice(2), {
    options: { help: { type: 'boolean', short: 'h', default: false } },
    insteadOf: settingFor,
  }).values;
  if (help) printSettings();
  else await serve();
} catch (error) {
  refuse(error);
}
