import { setTimeout as sleep } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import { acceptanceChecks } from '../../acceptance/checks.js';
import { type RunOptions, type RunReport, runChecks } from '../../acceptance/run-checks.js';
import { type App, composeApp, createApp } from '../../src/app.js';
import type { Config } from '../../src/config/config.js';
import type { Resources } from '../../src/storage/opened-resources.js';
import { administrators } from '../../src/storage/schema.js';
import { roomy } from '../support/accounts.js';
import { asNewService } from '../support/new-service.js';
import { credentials, hashingOf } from '../support/test-app.js';

/** High limits, so that runs do not wait for sign-in and captcha limits. */
export const unhurried = { ...roomy, SERVICE_RATE_LIMIT_CAPTCHA_MAX_REQUESTS: '100000' };

/** A listening server, and a session of its development account. */
export interface Target {
  readonly app: App;
  readonly url: URL;
  readonly token: string;
}

/**
 * A server on a free port.
 *
 * @param plant alters the empty app, before the server is composed on it
 */
export async function target(config: Config, resources: Resources, plant?: (app: App) => void): Promise<Target> {
  const app = createApp(config);
  plant?.(app);
  await composeApp(app, config, resources, { hashing: hashingOf(config) });
  const url = new URL(asNewService(await app.listen({ host: '127.0.0.1', port: 0 })));
  const { username } = credentials;
  const [account] = await resources.database.orm
    .select()
    .from(administrators)
    .where(eq(administrators.username, username));
  // Created by the engine, so that neither the encryption mode nor the captcha matters.
  const client = { terminal: 'web', clientIp: '127.0.0.1', userAgent: 'test' };
  const owner = { audience: 'admin', subject: account!.id };
  const { token } = await app.authTokens.issue({ ...owner, ...client, proof: { method: 'password' } });
  return { app, url, token };
}

/** Runs the named checks or subjects against it. */
export function accept(
  { url, token }: Target,
  only: readonly string[],
  more: Partial<RunOptions> = {},
): Promise<RunReport> {
  const isMeant = (id: string) => only.some((word) => id === word || id.startsWith(`${word}.`));
  return runChecks({
    url,
    token,
    checks: only.length === 0 ? acceptanceChecks : acceptanceChecks.filter(({ id }) => isMeant(id)),
    readCaptcha: null,
    isDevelopment: true,
    signal: new AbortController().signal,
    sleep: async (millis, signal) => {
      await sleep(millis, undefined, { ...(signal && { signal }) });
    },
    ...more,
  });
}

/** The part of a run that a test compares. */
export function outcomes({ checks }: RunReport): Record<string, string> {
  return Object.fromEntries(
    checks.map(({ id, outcome, holes, reason }) => [id, [outcome, ...holes, ...(reason ? [reason] : [])].join(' | ')]),
  );
}
