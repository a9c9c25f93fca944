import type { FastifyInstance } from 'fastify';
import type { PlantedHole } from './planted-holes.js';
import {
  answerFirst,
  askForNoPassword,
  believeSignatures,
  changeHeaders,
  changeUploadPolicy,
  keepSessions,
  route,
} from './plants.js';

/** More holes, each in a control that has claims of its own (DOC-4). */
export const sabotagedControls: readonly PlantedHole[] = [
  {
    hole: 'disabling that leaves the sessions',
    check: 'tokens.ends',
    names: /after disabling the access token still/,
    breaks: ['V7.4.2'],
    plant: keepSessions('ACCOUNT_DISABLED'),
  },
  {
    hole: 'a new password that leaves the sessions',
    check: 'tokens.ends',
    names: /after a change of the own password the access token still opens the profile: 200/,
    breaks: ['V7.4.3'],
    plant: keepSessions('PASSWORD_CHANGED'),
  },
  {
    hole: 'common passwords, allowed by a parameter',
    check: 'passwords.change',
    names: /the common password password is accepted/,
    breaks: ['V6.2.4'],
    parameters: { 'admin.auth.password.refuse-common': false },
  },
  {
    hole: 'a password change without the password',
    check: 'passwords.change',
    names: /without the current password a change is answered 204/,
    breaks: ['V6.2.3', 'V7.5.1'],
    plant: askForNoPassword,
  },
  {
    hole: 'passwords in any letter case',
    check: 'passwords.change',
    names: /after the change the new password in upper case signs in/,
    breaks: ['V6.2.8'],
    isBrief: true,
    plant: route('POST', '/admin/auth/login', (options) => {
      const { handler } = options;
      options.handler = async function foldCase(this: FastifyInstance, request, reply) {
        const body = request.body as { password: string };
        body.password = body.password.toLowerCase();
        return handler.call(this, request, reply);
      };
    }),
  },
  {
    hole: 'tokens with any signature',
    check: 'privileges.tokens',
    names: /a token with a changed signature is answered 200/,
    breaks: ['V7.2.1', 'V9.1.1'],
    plant: believeSignatures,
  },
  {
    hole: 'an origin of strangers that may call',
    check: 'headers.origins',
    names: /a request from https:\/\/acceptance\.invalid is allowed/,
    breaks: ['V3.4.2'],
    environment: { SERVICE_CORS_ORIGINS: 'https://acceptance.invalid' },
  },
  {
    hole: 'answers that caches may keep',
    check: 'headers.security',
    names: /a success comes without Cache-Control: no-store/,
    breaks: ['V14.3.2'],
    isBrief: true,
    plant: changeHeaders((reply) => reply.removeHeader('cache-control')),
  },
  {
    hole: 'refusals that are not recorded',
    check: 'audit.coverage',
    names: /an attempt without the right has 0 records/,
    breaks: ['V16.3.2'],
    plant: route('GET', '/admin/audit-records', (options) => {
      options.config = { ...options.config, audit: false };
    }),
  },
  {
    hole: 'audit records that can be deleted',
    check: 'audit.forgery',
    names: /DELETE \/admin\/audit-records is answered 204/,
    breaks: ['V16.4.2'],
    plant: answerFirst(({ method, url }) => method === 'DELETE' && url.startsWith('/admin/audit-records'), 204),
  },
  {
    hole: 'uploads of any size',
    check: 'uploads.size',
    names: /a file of \d+ bytes is answered 201/,
    breaks: ['V5.2.1'],
    plant: (app) => changeUploadPolicy(app, { maxSizeMb: 50 }),
  },
];
