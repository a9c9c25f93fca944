import { createInterface } from 'node:readline/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type AppService, createAppService } from './app-service.js';

const HELP = `Signs in to a reference server as an app user, by a code.

  node dist/app-client.js [--server http://127.0.0.1:3000] [--mobile 13800138000] [--name text] [--ask]

  --ask   asks you for the code; without it, the code is read from the outbox of a development server
`;

/** How long a development server may take to deliver to its outbox, in milliseconds. */
const DELIVERY_LIMIT_MILLIS = 15_000;

const say = (line: string) => void process.stdout.write(`${line}\n`);

async function askForCode(): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question('The code that you received: ');
  } finally {
    terminal.close();
  }
}

/** Waits for a code other than the one that was there before. */
async function awaitCode(service: AppService, mobile: string, before: string | null): Promise<string> {
  for (const deadline = Date.now() + DELIVERY_LIMIT_MILLIS; Date.now() < deadline; await sleep(100)) {
    const code = await service.readDevelopmentCode(mobile);
    if (code !== null && code !== before) return code;
  }
  throw new Error('no message arrived; is the server in development mode?');
}

async function visit(): Promise<void> {
  const { values } = parseArgs({
    options: {
      server: { type: 'string', default: 'http://127.0.0.1:3000' },
      mobile: { type: 'string', default: '13800138000' },
      name: { type: 'string', default: 'App user' },
      ask: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    say(HELP);
    return;
  }
  const { server, mobile, name } = values;
  const service = createAppService(server);
  say(`envelopes: ${await service.encryptionMode()}`);

  const before = values.ask ? null : await service.readDevelopmentCode(mobile);
  await service.sendSmsCode(mobile);
  say('a code was sent');
  const code = values.ask ? await askForCode() : await awaitCode(service, mobile, before);

  await service.signIn(mobile, code);
  const profile = await service.readProfile();
  say(`signed in: ${profile.mobile}`);
  say(`name: ${(await service.rename(name)).displayName}`);
  await service.signOut();
  say('signed out');
}

await visit().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
