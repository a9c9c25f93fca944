import { resolve } from 'node:path';
import type { ActiveBackend } from '@sallyport/envelope-crypto';
import type { Config } from '../config/config.js';
import { settings } from '../config/settings.js';
import { developmentAccount, passwordToSend } from '../modules/administrators/index.js';
import { CONSOLE_PATH, isConsoleEnabled } from '../modules/console/index.js';

/**
 * The configuration of the server, without secrets.
 *
 * @param backend the backend for envelopes (ENV-8); null if envelopes are ignored
 */
export function startFacts(config: Config, backend: ActiveBackend | null) {
  return {
    profile: config.profile,
    ...(config['safe-mode'] && { 'safe mode': 'on: writes are refused' }),
    encryption: config['api.encryption.mode'],
    ...(backend !== null && { backend: `${backend.name} (${backend.reason})` }),
    database: databaseFact(config),
    sessions: config['redis-url'] === null ? 'in the database' : 'in Redis',
  };
}

function databaseFact(config: Config): string {
  const { 'database-url': url, 'database-schema': schema } = config;
  if (url === null) return `embedded, in ${resolve(config['data-dir'])}`;
  return schema === settings['database-schema'].default ? 'PostgreSQL' : `PostgreSQL, schema ${schema}`;
}

/** The banner of a start in development: the address, the configuration, and first steps. */
export function developmentBanner(config: Config, backend: ActiveBackend | null, address: string): string {
  const facts = Object.entries(startFacts(config, backend)).map(([name, fact]) => `  ${name.padEnd(12)} ${fact}`);
  const { username, password } = developmentAccount;
  return [
    '',
    `Sallyport reference server: ${address}`,
    ...(isConsoleEnabled(config) ? [`  console      ${address}${CONSOLE_PATH}`] : []),
    ...facts,
    `  test account ${username}, password ${password}; clients send the SM3 of the password:`,
    `               ${passwordToSend(password)}`,
    `  messages     ${address}/dev/sms-outbox/page`,
    `  API          ${apiDocsFact(config, address)}`,
    '',
    ...firstTry(config, address),
    '',
    '',
  ].join('\n');
}

function apiDocsFact(config: Config, address: string): string {
  const isOn = config['api-docs.enabled'];
  return isOn ? `${address}/api-docs` : `start with SERVICE_API_DOCS_ENABLED=true for ${address}/api-docs`;
}

function firstTry(config: Config, address: string): string[] {
  if (config['api.encryption.mode'] === 'REQUIRED') {
    return [
      'Every route that is not exempt requires an encrypted envelope. The public key:',
      `  curl -s ${address}/encryption/public-key`,
    ];
  }
  const { username, password } = developmentAccount;
  const credentials = JSON.stringify({
    username,
    password: passwordToSend(password),
    terminal: config['admin.auth.terminals'][0],
  });
  return ['Sign in:', `  curl -s ${address}/admin/auth/login -H 'content-type: application/json' -d '${credentials}'`];
}
