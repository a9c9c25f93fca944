import { DEFAULT_BYPASS_ROUTES } from '@sallyport/envelope-crypto';
import { type Property, variableOf } from '../config/config.js';
import { settingCheck } from './preflight-check.js';

/** Maximum requests per minute. Higher limits do not stop attacks. */
const MAX_PER_MINUTE = [
  { property: 'rate-limit.login.max-requests', most: 100, what: 'guesses' },
  { property: 'rate-limit.app-login.max-requests', most: 3000, what: 'guesses' },
  { property: 'rate-limit.recovery.max-requests', most: 600, what: 'guesses' },
  { property: 'rate-limit.captcha.max-requests', most: 600, what: 'captchas' },
  { property: 'rate-limit.registration.max-requests', most: 60, what: 'registrations' },
] as const satisfies readonly { property: Property; most: number; what: string }[];

/** The same for all other routes together, and for the flood gate. */
const MAX_OVERALL_PER_MINUTE = 12_000;
const MAX_AT_GATE_PER_MINUTE = 60_000;

export const rateLimits = settingCheck({
  id: 'limits',
  reads: [
    ...MAX_PER_MINUTE.map(({ property }) => property),
    'rate-limit.max-requests',
    'rate-limit.window-seconds',
    'flood-gate.max-requests',
    'flood-gate.window-seconds',
    'request-timeout-seconds',
  ],
  *run({ config }) {
    for (const { property, most, what } of MAX_PER_MINUTE) {
      if (config[property] <= most) continue;
      yield {
        id: 'limits.too-high',
        severity: 'warning',
        finding: `${variableOf(property)} allows one client IP ${config[property]} ${what} per minute`,
        fix: `set at most ${most}`,
      };
    }
    const overall = (config['rate-limit.max-requests'] * 60) / config['rate-limit.window-seconds'];
    const atGate = (config['flood-gate.max-requests'] * 60) / config['flood-gate.window-seconds'];
    for (const [property, aMinute, most] of [
      ['rate-limit.max-requests', overall, MAX_OVERALL_PER_MINUTE],
      ['flood-gate.max-requests', atGate, MAX_AT_GATE_PER_MINUTE],
    ] as const) {
      if (aMinute <= most) continue;
      yield {
        id: 'limits.too-high',
        severity: 'warning',
        finding: `${variableOf(property)} allows one client IP ${Math.round(aMinute)} requests per minute`,
        fix: `lower it or extend its window, to at most ${most} per minute`,
      };
    }
    if (config['request-timeout-seconds'] > 300) {
      yield {
        id: 'limits.slow-clients',
        severity: 'warning',
        finding: 'SERVICE_REQUEST_TIMEOUT_SECONDS allows one request to take more than five minutes to arrive',
        fix: 'set the time that the largest upload takes on your slowest connection',
      };
    }
  },
});

/** With a wider window a recorded envelope can be tried for too long, in seconds. */
const WIDEST_WINDOW_SECONDS = 900;

export const encryption = settingCheck({
  id: 'encryption',
  reads: ['api.encryption.mode', 'api.encryption.bypass-routes', 'api.encryption.timestamp-window-seconds'],
  *run({ config }) {
    const mode = config['api.encryption.mode'];
    if (mode !== 'REQUIRED') {
      yield {
        id: mode === 'OFF' ? 'encryption.off' : 'encryption.optional',
        severity: mode === 'OFF' ? 'warning' : 'info',
        finding:
          mode === 'OFF'
            ? 'SERVICE_API_ENCRYPTION_MODE is OFF: bodies are protected by TLS alone, and nothing refuses a replayed request'
            : 'SERVICE_API_ENCRYPTION_MODE is OPTIONAL: plaintext requests are accepted, and can be replayed',
        fix: 'set REQUIRED when every client seals its requests',
      };
      return;
    }
    const known = DEFAULT_BYPASS_ROUTES.map((route) => `${route}`.split(' ')[0]);
    const routes = config['api.encryption.bypass-routes'].filter(
      (route) => !known.includes(route.trim().split(/\s+/)[0] ?? ''),
    );
    if (routes.length > 0) {
      yield {
        id: 'encryption.bypass-routes',
        severity: routes.some((route) => /auth|login|password/i.test(route)) ? 'error' : 'info',
        finding: `SERVICE_API_ENCRYPTION_BYPASS_ROUTES exempts more than uploads and downloads from encryption: ${routes.join(', ')}`,
        fix: 'leave out routes that carry passwords, codes or personal data',
      };
    }
    if (config['api.encryption.timestamp-window-seconds'] > WIDEST_WINDOW_SECONDS) {
      yield {
        id: 'encryption.window',
        severity: 'warning',
        finding: `SERVICE_API_ENCRYPTION_TIMESTAMP_WINDOW_SECONDS accepts clocks that are off by more than ${WIDEST_WINDOW_SECONDS / 60} minutes`,
        fix: 'set 300: clients correct their clock from the refusal',
      };
    }
  },
});
