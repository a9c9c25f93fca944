import { type Property, settings, variableOf } from '../src/config/settings.js';

/** Settings as the server is shipped, for a scenario that must not run with the raised limits of the harness. */
export function shipped(...properties: readonly Property[]): Readonly<Record<string, string>> {
  return Object.fromEntries(properties.map((property) => [variableOf(property), String(settings[property].default)]));
}

/** The flood gate as shipped, and the harness as a proxy whose clients have addresses of their own (ORD-6). */
export const shippedGate: Readonly<Record<string, string>> = {
  ...shipped('flood-gate.max-requests', 'flood-gate.window-seconds'),
  SERVICE_TRUSTED_PROXIES: '127.0.0.1',
};

/** The same with the rate limits as shipped (ORD-6, ORD-7). */
export const shippedLimits: Readonly<Record<string, string>> = {
  ...shippedGate,
  ...shipped('rate-limit.max-requests', 'rate-limit.login.max-requests', 'rate-limit.captcha.max-requests'),
};
