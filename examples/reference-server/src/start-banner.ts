import { resolve } from 'node:path';
import type { Config } from './config.js';
import { developmentAccount, passwordToSend } from './features/administrators/development-account.js';

/** What the start prints for people: where it listens, how it is set up, and in development what to try first. */
export function startBanner(config: Config, address: string): string {
  const lines = [
    '',
    `Sallyport reference server: ${address}`,
    `  profile      ${config.profile}`,
    `  encryption   ${config['api.encryption.mode']}`,
    `  database     ${config['database-url'] === null ? `embedded, in ${resolve(config['data-dir'])}` : 'PostgreSQL (SERVICE_DATABASE_URL)'}`,
    `  sessions     ${config['redis-url'] === null ? 'in the database' : 'Redis (SERVICE_REDIS_URL)'}`,
  ];
  if (config.profile === 'development') lines.push(...developmentHelp(config, address));
  return `${lines.join('\n')}\n\n`;
}

function developmentHelp(config: Config, address: string): string[] {
  const { username, password } = developmentAccount;
  const credentials = JSON.stringify({ username, password: passwordToSend(password), terminal: 'web' });
  const account = [
    `  test account ${username}, password ${password}; clients send the SM3 of the password:`,
    `               ${passwordToSend(password)}`,
  ];
  const hint =
    config['api.encryption.mode'] === 'REQUIRED'
      ? [
          'Every route but the exempt ones needs an encrypted envelope; the key to make one with:',
          `  curl -s ${address}/encryption/public-key`,
        ]
      : ['Sign in:', `  curl -s ${address}/admin/auth/login -H 'content-type: application/json' -d '${credentials}'`];
  return [...account, '', ...hint];
}
