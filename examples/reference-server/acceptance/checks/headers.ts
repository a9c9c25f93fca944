import type { Answer } from '../answer.js';
import { isLoopback } from '../base-url.js';
import type { AcceptanceCheck } from '../check.js';
import { NotApplicableError } from '../not-run.js';

const securityHeaders: AcceptanceCheck = {
  id: 'headers.security',
  title: 'every answer, refusals too, says that it may not be kept, sniffed, framed or run',
  parts: ['sniffing', 'policy', 'framing', 'caching', 'others'],
  async run({ deployment, operator, did, hole }) {
    const answers: Readonly<Record<string, Answer>> = {
      'a success': await deployment.call({ path: '/admin/profile', token: operator.token }),
      'a refusal': await deployment.call({ path: '/admin/profile' }),
      'an unknown path': await deployment.call({ path: '/acceptance/nothing', token: operator.token }),
      'the public key': await deployment.call({ path: '/encryption/public-key' }),
      'the public parameters': await deployment.call({ path: '/public/system-parameters' }),
    };
    for (const [what, { headers }] of Object.entries(answers)) {
      const header = (name: string) => headers.get(name)?.toLowerCase() ?? '';
      if (header('x-content-type-options') !== 'nosniff') {
        hole(`${what} comes without X-Content-Type-Options: nosniff`, 'sniffing');
      }
      const policy = header('content-security-policy');
      if (!policy.includes("default-src 'none'")) {
        hole(`${what} comes without Content-Security-Policy: default-src 'none'`, 'policy');
      }
      if (!policy.includes("frame-ancestors 'none'")) hole(`${what} may be framed`, 'framing');
      if (!header('cache-control').includes('no-store')) {
        hole(`${what} comes without Cache-Control: no-store`, 'caching');
      }
      if (header('x-request-id') === '') hole(`${what} comes without X-Request-Id`, 'others');
      if (header('x-powered-by') !== '') {
        hole(`${what} says what it is made of: ${header('x-powered-by')}`, 'others');
      }
    }
    did(`looked at the headers of ${Object.keys(answers).length} answers`);
  },
};

const ORIGIN = 'https://acceptance.invalid';

const origins: AcceptanceCheck = {
  id: 'headers.origins',
  title: 'pages of an unknown origin may not call',
  async run({ deployment, operator, did, hole }) {
    const asked = await deployment.call({ path: '/admin/profile', token: operator.token, headers: { origin: ORIGIN } });
    const preflight = await deployment.send({
      ...{ method: 'OPTIONS', target: '/admin/roles' },
      headers: {
        origin: ORIGIN,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
      },
    });
    for (const [what, { headers }] of Object.entries({ 'a request': asked, 'a preflight': preflight })) {
      const allowed = headers.get('access-control-allow-origin');
      if (allowed === '*' || allowed === ORIGIN) hole(`${what} from ${ORIGIN} is allowed: ${allowed}`);
    }
    did(`sent a request and a preflight from ${ORIGIN}`);
  },
};

const transport: AcceptanceCheck = {
  id: 'headers.transport',
  title: 'the service is reached by HTTPS, and asks browsers to stay with it',
  parts: ['https', 'hsts'],
  async run({ deployment, operator, did, hole }) {
    const { protocol, origin } = deployment.url;
    const isEncrypted = protocol === 'https:';
    if (isLoopback(deployment.url) && !isEncrypted) {
      throw new NotApplicableError('it is asked on its own machine, without its proxy');
    }
    if (!isEncrypted) hole(`${origin} is not HTTPS: tokens and uploads travel in the clear`);
    for (const token of isEncrypted ? [operator.token, undefined] : []) {
      const { status, headers } = await deployment.call({
        path: '/admin/profile',
        ...(token !== undefined && { token }),
      });
      const policy = headers.get('strict-transport-security')?.toLowerCase() ?? '';
      if (!policy.includes('max-age')) hole(`an answer of ${status} comes without Strict-Transport-Security`, 'hsts');
    }
    did(`the base URL is ${origin}`);
  },
};

export const headerChecks: readonly AcceptanceCheck[] = [securityHeaders, origins, transport];
