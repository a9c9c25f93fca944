import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { createPostgresAuditSink } from '@sallyport/audit-log/postgres';
import { readCommandLine } from '@sallyport/plugin-kit/command-line';
import { readConfig } from '../config/config.js';
import { generateAccount } from '../modules/administrators/index.js';
import { auditChain } from '../modules/audit-records/index.js';
import { openPasswordHashing } from '../modules/passwords/index.js';
import { createChanges } from '../storage/changes.js';
import { failureText } from '../storage/failure-text.js';
import { openDatabase } from '../storage/resources.js';

const USAGE = `node dist/commands/create-administrator.js [--username NAME] [--confirm]

Creates an administrator with every permission, and shows a random password once. Without --username it asks for the
name. A name that is taken is refused, and one that looks like that of another account needs --confirm. It reads the environment of the server. Stop the server first if it uses the
embedded database.

Exit status: 0 success, 1 no administrator was created.
`;

async function askForUsername(): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const ended = once(terminal, 'close').then(() => {
    throw new Error('Standard input ended before a name was given; give --username NAME.');
  });
  try {
    return await Promise.race([terminal.question('User name of the new administrator: '), ended]);
  } finally {
    terminal.close();
  }
}

/** Creates the first administrator of a production database (USR-4). It reads the environment of the server. */
async function createAdministrator(): Promise<void> {
  const { values } = readCommandLine(process.argv.slice(2), {
    options: {
      username: { type: 'string' },
      confirm: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return;
  }
  const config = readConfig(process.env);
  const name = values.username ?? (await askForUsername());
  const passwords = openPasswordHashing(config, { threads: 1 });
  const database = await openDatabase(config);
  try {
    // The server makes the checkpoint which covers the record.
    const sink = createPostgresAuditSink(await auditChain(config, database));
    const changes = createChanges(database, sink, () => {});
    const { username, password } = await generateAccount(changes, passwords, name, {
      isConfirmed: values.confirm,
    });
    await sink.close();
    process.stdout.write(`Administrator: ${username}\nPassword, shown only once: ${password}\n`);
  } finally {
    await database.close();
    await passwords.close();
  }
}

await createAdministrator().catch((error: unknown) => {
  process.stderr.write(`No administrator was created. ${failureText(error)}\n`);
  process.exitCode = 1;
});
