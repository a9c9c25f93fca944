import { PermissionsUnavailableError } from '@sallyport/auth-tokens';
import { NotFoundError } from '../../http/errors.js';
import { ADMINISTRATOR_ID, INSTANT, LATER, SESSION_ID } from '../../http/example-values.js';
import type { OperationTexts } from '../../http/operation-text.js';
import { GrantNotHeldError } from '../roles/index.js';

/** Sessions of administrators and app users. */
export const sessionOperations: OperationTexts = {
  'POST /auth/logout': {
    tag: 'Sessions',
    summary: 'Sign out',
    description: 'The session ends at once, on every node. The body is empty, or an empty object.',
  },
  'GET /admin/sessions': {
    tag: 'Sessions',
    summary: 'List sessions',
    description:
      'With `scope=subject`, the default, those of the caller, or of `audience` and `subject`. The caller’s own ' +
      'sessions need no permission; all others need `api:admin:sessions:list`. With `scope=all`, those of all users, ' +
      'the newest first and by cursor: of one `audience`, of a `user`, from an `address`. A `user` that is a mobile ' +
      'number needs `api:admin:app-users:list` as well, unless `audience` is `admin`. A page may be short, or empty, ' +
      'though others follow. A session with a `purpose` waits for a step of its sign-in, and is refused elsewhere.',
    refusals: [PermissionsUnavailableError],
    response: {
      data: [
        {
          id: SESSION_ID,
          audience: 'admin',
          subject: ADMINISTRATOR_ID,
          userName: 'li.hua',
          terminal: 'web',
          clientIp: '203.0.113.7',
          userAgent: 'Mozilla/5.0',
          issuedAt: INSTANT,
          lastSeenAt: INSTANT,
          expiresAt: LATER,
          idleExpiresAt: LATER,
          current: true,
        },
      ],
      page: { size: 20, next: null },
    },
  },
  'DELETE /admin/sessions/:id': {
    tag: 'Sessions',
    summary: 'End a session',
    description:
      'The caller’s own sessions need no permission; other sessions need `api:admin:sessions:end`. The session of an ' +
      'administrator can be ended by somebody who holds every grant of that account, and the session of an app user ' +
      'with `api:admin:app-users:update` as well.',
    refusals: [PermissionsUnavailableError, NotFoundError, GrantNotHeldError],
  },
  'GET /app/sessions': {
    tag: 'App users',
    summary: 'List one’s own sessions',
    description: 'The most recently seen one first, at most twenty, and those that wait for a step of their sign-in.',
    response: {
      data: [
        {
          id: SESSION_ID,
          audience: 'app',
          subject: ADMINISTRATOR_ID,
          terminal: 'app',
          clientIp: '203.0.113.7',
          userAgent: 'Mozilla/5.0',
          issuedAt: INSTANT,
          lastSeenAt: INSTANT,
          expiresAt: LATER,
          idleExpiresAt: LATER,
          current: true,
        },
      ],
    },
  },
  'DELETE /app/sessions/:id': {
    tag: 'App users',
    summary: 'End one of one’s own sessions',
    refusals: [NotFoundError],
  },
  'DELETE /admin/administrators/:id/sessions': {
    tag: 'Sessions',
    summary: 'End all sessions of an administrator',
    description: 'The caller holds every grant of that account.',
    refusals: [NotFoundError, GrantNotHeldError],
  },
};
