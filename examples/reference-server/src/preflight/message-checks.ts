import { reachOfUrl } from '../config/reach.js';
import { settingCheck } from './preflight-check.js';
import { isTestCredential } from './test-credentials.js';

/** RFC 2606 and 6761: names reserved for documentation and tests. */
const RESERVED_NAME = /(?:^|\.)(?:example|test|invalid|localhost|example\.(?:com|net|org))$/;

/** The gateway for text messages must not use test credentials (the interface document's checklist). */
export const messages = settingCheck({
  id: 'messages',
  reads: ['notification.gateway.url', 'notification.gateway.headers', 'notification.gateway.signature-key'],
  *run({ config }) {
    const url = config['notification.gateway.url'];
    const headers = Object.entries(config['notification.gateway.headers'] ?? {});
    if (url === null) {
      yield {
        id: 'messages.no-gateway',
        severity: 'warning',
        finding: 'SERVICE_NOTIFICATION_GATEWAY_URL is not set: app users get no codes and cannot register',
        fix: 'configure the gateway, or ignore this if the service has no app users',
      };
      return;
    }
    const { hostname } = new URL(url);
    if (RESERVED_NAME.test(hostname) && reachOfUrl(url) !== 'machine') {
      yield {
        id: 'messages.example-gateway',
        severity: 'error',
        finding:
          'SERVICE_NOTIFICATION_GATEWAY_URL is a name reserved for documentation and tests: no message would arrive',
        fix: 'configure the gateway of production',
      };
    } else if (reachOfUrl(url) === 'machine') {
      yield {
        id: 'messages.local-gateway',
        severity: 'info',
        finding: 'SERVICE_NOTIFICATION_GATEWAY_URL is on this machine',
        fix: 'make sure that it is a relay and not a test gateway',
      };
    }
    for (const [name, value] of headers) {
      if (!isTestCredential(value.replace(/^(?:Bearer|Basic|Token|Key)\s+/i, ''))) continue;
      yield {
        id: 'messages.test-credentials',
        severity: 'error',
        finding: `SERVICE_NOTIFICATION_GATEWAY_HEADERS has a placeholder or test credential in ${name}`,
        fix: "set the gateway's own credential",
      };
    }
    if (headers.length === 0 && config['notification.gateway.signature-key'] === null && new URL(url).password === '') {
      yield {
        id: 'messages.unauthenticated',
        severity: 'warning',
        finding:
          'requests to the gateway carry neither a header nor a signature: any client that can reach it can send in your name',
        fix: 'set SERVICE_NOTIFICATION_GATEWAY_HEADERS or SERVICE_NOTIFICATION_GATEWAY_SIGNATURE_KEY',
      };
    }
  },
});
