import { type Answer, inShort } from '../answer.js';
import type { AcceptanceCheck } from '../check.js';
import { NotApplicableError } from '../not-run.js';

/** Where servers of this and of other kinds have their documentation. */
const documentation = [
  '/api-docs/',
  '/api-docs/json',
  '/api-docs/yaml',
  '/api-docs/static/index.html',
  '/documentation',
  '/documentation/',
  '/documentation/json',
  '/documentation/yaml',
  '/documentation/static/index.html',
  '/docs',
  '/docs/json',
  '/openapi.json',
  '/openapi.yaml',
  '/openapi',
  '/swagger',
  '/swagger.json',
  '/swagger-ui/index.html',
  '/api-docs',
  '/v3/api-docs',
  '/doc.html',
] as const;

/** Paths for operators or developers only, in this and in other servers. */
const internals = [
  '/dev/sms-outbox',
  '/dev/sms-outbox/page',
  '/metrics',
  '/actuator',
  '/actuator/metrics',
  '/actuator/prometheus',
  '/actuator/env',
  '/actuator/heapdump',
  '/actuator/loggers',
  '/debug',
  '/debug/pprof/',
  '/json/version',
  '/.env',
  '/.git/config',
  '/package.json',
  '/server-status',
] as const;

const documentationOff: AcceptanceCheck = {
  id: 'exposure.documentation',
  title: 'the documentation of the interface is not there',
  async run({ deployment, isDevelopment, did, hole }) {
    if (isDevelopment) throw new NotApplicableError('a development server may show it');
    for (const target of documentation) {
      const answer = await deployment.send({ method: 'GET', target });
      if (answer.status < 400) hole(`${target} is answered ${inShort(answer)}`);
    }
    did(`asked for ${documentation.length} paths of documentation`);
  },
};

const internalsOff: AcceptanceCheck = {
  id: 'exposure.internals',
  title: 'outlets of development, metrics and files of the server are not shown to everybody',
  parts: ['development', 'others'],
  async run({ deployment, isDevelopment, bystander, did, hole, skip }) {
    const { token } = await bystander();
    if (isDevelopment) skip('development');
    const isOfDevelopment = (path: string) => path.startsWith('/dev/');
    const paths = internals.filter((path) => !isDevelopment || !isOfDevelopment(path));
    for (const target of paths) {
      const part = isOfDevelopment(target) ? 'development' : 'others';
      const bare = await deployment.send({ method: 'GET', target });
      if (bare.status < 400) hole(`${target} is shown to everybody: ${inShort(bare)}`, part);
      const answer = await deployment.call({ path: target, token });
      if (answer.status < 400) {
        hole(`${target} is shown to an administrator without permissions: ${inShort(answer)}`, part);
      }
    }
    did(`asked for ${paths.length} inner paths without a token, and as an administrator without any right`);
  },
};

const health: AcceptanceCheck = {
  id: 'exposure.health',
  title: 'health shows callers without the permission the status only',
  async run({ deployment, bystander, did, hole }) {
    const { token } = await bystander();
    const main = await deployment.call({ path: '/actuator/health' });
    if (main.status !== 200 || main.json?.status !== 'UP')
      hole(`health is answered ${inShort(main)}: ${main.text.slice(0, 100)}`);
    for (const path of ['/actuator/health', '/actuator/health/liveness', '/actuator/health/readiness']) {
      for (const headers of [{}, { authorization: `Bearer ${token}` }, { authorization: 'Bearer x' }]) {
        const answer = await deployment.call({ path, headers });
        const more = Object.keys(answer.json ?? {}).filter((member) => member !== 'status');
        if (answer.status < 400 && more.length > 0) hole(`${path} shows more than its status: ${more.join(', ')}`);
      }
    }
    did('asked for health, liveness and readiness without a token, with a wrong one, and without the right');
  },
};

/** File paths, stacks, statements and versions that an answer must not reveal. */
const LEAKS: Readonly<Record<string, RegExp>> = {
  'a stack': /\n\s+at [\w.<>]+ \(|\bat \w+ \(?(?:file:|node:|\/)/,
  'a path of the server': /(?:\/node_modules\/|\/dist\/|\/src\/[\w/-]+\.[jt]s|\.[jt]s:\d+)/,
  'a statement': /\b(?:select .+ from|insert into|syntax error at or near|violates \w+ constraint)\b/i,
  'an address of a store': /\b(?:postgres(?:ql)?|redis|rediss):\/\/|ECONNREFUSED|127\.0\.0\.1:\d{4}/,
};

const errors: AcceptanceCheck = {
  id: 'exposure.errors',
  title: 'refusals tell a code and a request id, and nothing of what is inside',
  async run({ deployment, operator, did, hole }) {
    const { token } = operator;
    const authorization = `Bearer ${token}`;
    const json = { 'content-type': 'application/json' };
    const login = { method: 'POST', target: '/admin/auth/login', headers: json };
    const attempts: Readonly<Record<string, () => Promise<Answer>>> = {
      'a body that is no JSON': () => deployment.send({ ...login, body: '{"username":' }),
      'a poisoned body': () => deployment.send({ ...login, body: '{"__proto__":{"admin":true}}' }),
      'a body of another type': () =>
        deployment.send({ ...login, headers: { 'content-type': 'application/xml' }, body: '<a/>' }),
      'a body of the wrong shape': () =>
        deployment.call({ method: 'POST', path: '/admin/auth/login', body: [1, { a: null }] }),
      'a target that can not be decoded': () => deployment.send({ method: 'GET', target: '/admin/%E0%A4%A' }),
      'an unknown path': () => deployment.call({ path: '/acceptance/nothing', token }),
      'an id with a quote': () => deployment.call({ path: "/admin/roles/'%22--", token }),
      'an id with NUL': () => deployment.call({ path: '/admin/roles/a%00b', token }),
      'a page that is no number': () => deployment.call({ path: '/admin/roles?page=1%27&size=-1', token }),
      'a method that there is not': () =>
        deployment.send({ method: 'PROPFIND', target: '/admin/roles', headers: { authorization } }),
      'a huge header': () =>
        deployment.send({ method: 'GET', target: '/admin/profile', headers: { 'x-long': 'a'.repeat(20_000) } }),
      'two tokens': () =>
        deployment.send({
          method: 'GET',
          target: '/admin/profile',
          headers: { authorization: [authorization, 'Bearer x'] },
        }),
      'a token of chance': () => deployment.call({ path: '/admin/profile', token: 'eyJhbGciOiJub25lIn0.e30.' }),
    };
    for (const [what, attempt] of Object.entries(attempts)) {
      const answer = await attempt();
      if (answer.status < 400) hole(`${what} is answered ${inShort(answer)}`);
      if (answer.status >= 500) hole(`${what} is answered ${inShort(answer)}: the server failed, and did not refuse`);
      const headers = answer.headers.get('x-powered-by') ?? '';
      for (const [leak, pattern] of Object.entries(LEAKS)) {
        if (pattern.test(answer.text)) hole(`the answer to ${what} shows ${leak}: ${answer.text.slice(0, 200)}`);
      }
      if (headers !== '') hole(`the answer to ${what} has the header X-Powered-By: ${headers}`);
    }
    did(`provoked ${Object.keys(attempts).length} refusals`);
  },
};

export const exposureChecks: readonly AcceptanceCheck[] = [documentationOff, internalsOff, health, errors];
