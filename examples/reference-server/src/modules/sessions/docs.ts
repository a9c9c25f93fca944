import { PermissionsUnavailableError } from '@sallyport/auth-tokens';
import { NotFoundError } from '../../http/errors.js';
import { ADMINISTRATOR_ID, INSTANT, LATER, page, SESSION_ID } from '../../http/example-values.js';
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
    summary: 'List the sessions of a subject',
    description: 'The caller’s own sessions need no permission; other sessions need `api:admin:sessions:list`.',
    refusals: [PermissionsUnavailableError],
    response: {
      data: [
        {
          id: SESSION_ID,
          subject: ADMINISTRATOR_ID,
          terminal: 'web',
          clientIp: '203.0.113.7',
          userAgent: 'Mozilla/5.0',
          issuedAt: INSTANT,
          lastSeenAt: INSTANT,
          expiresAt: LATER,
          current: true,
        },
      ],
      page,
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
  'DELETE /admin/administrators/:id/sessions': {
    tag: 'Sessions',
    summary: 'End all sessions of an administrator',
    description: 'The caller holds every grant of that account.',
    refusals: [NotFoundError, GrantNotHeldError],
  },
};
