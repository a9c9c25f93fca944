import { readCommandLine } from '@sallyport/plugin-kit/command-line';
import closeWithGrace from 'close-with-grace';
import { createApp } from '../app.js';
import { readConfig } from '../config/config.js';
import { openNotifications } from '../modules/notifications/index.js';
import { openStoredCodes } from '../modules/one-time-codes/index.js';
import { deriveKey, loadTokenKeys } from '../protection/token-keys.js';
import { failureText } from '../storage/failure-text.js';
import { openResources } from '../storage/resources.js';

const USAGE = `node dist/commands/notification-worker.js

Delivers the messages that servers with the same environment queue. It reads the environment of the server, and runs
until a signal stops it.

Exit status: 1 the worker did not start.
`;

/** The time limit for deliveries in progress after a signal, in milliseconds. */
const GRACE_MILLIS = 10_000;

/** Delivers the messages that servers with the same environment queue, in a separate process (APP-4). */
async function work(): Promise<void> {
  const { values } = readCommandLine(process.argv.slice(2), {
    options: { help: { type: 'boolean', short: 'h', default: false } },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return;
  }
  const config = readConfig(process.env);
  if (config['database-url'] === null) {
    throw new Error('Only the server can use the embedded database. It sends the messages itself.');
  }
  if (config['safe-mode']) throw new Error('SERVICE_SAFE_MODE is on: no message is sent.');
  // Only the log of this instance is used, because it has the server's format.
  const { log } = createApp(config);
  const resources = await openResources(config);
  const { signingKey } = await loadTokenKeys(config);
  const codes = openStoredCodes({ store: resources.stores.sessions, key: deriveKey(signingKey, 'sms-codes') });
  const key = deriveKey(signingKey, 'notifications');
  const notifications = await openNotifications({ config, resources, key, codes, log });
  closeWithGrace({ delay: GRACE_MILLIS, logger: log }, async function stop({ err }) {
    if (err !== undefined) log.fatal({ err }, 'stopping after an uncaught error');
    await notifications.close();
    await resources.close();
  });
  if (notifications.sender === null) throw new Error('There is no gateway: set SERVICE_NOTIFICATION_GATEWAY_URL.');
  await notifications.startWorker();
  log.info('sending notifications');
}

await work().catch((error: unknown) => {
  process.stderr.write(`The worker did not start. ${failureText(error)}\n`);
  process.exit(1);
});
