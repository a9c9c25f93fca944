import { defineModule } from '../../http/module.js';
import { recordClockEvents } from './clock-events.js';
import { sessionOperations } from './docs.js';
import { sessionParameterTable } from './parameters.js';
import { sessionPermissions } from './permissions.js';
import { sessionRoutes } from './routes.js';
import { sessionsEnded } from './session-outcomes.js';

export { assertMayEndSessions, type SessionRule } from './may-end-sessions.js';
export { readLifetimes, sessionParameters } from './parameters.js';

export { noteSessions } from './session-outcomes.js';

export const sessions = defineModule({
  name: 'sessions',
  prepare: recordClockEvents,
  outcomes: { 'auth.logout': sessionsEnded, 'session.revoke': sessionsEnded },
  permissions: sessionPermissions,
  parameters: [sessionParameterTable],
  tags: { Sessions: 'Sessions and single-use tickets.' },
  operations: sessionOperations,
  routes: sessionRoutes,
});
