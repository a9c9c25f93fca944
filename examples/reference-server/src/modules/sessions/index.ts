import { defineModule } from '../../http/module.js';
import { definePermissions } from '../../http/permission-group.js';
import { recordClockEvents } from './clock-events.js';
import { sessionOperations } from './docs.js';
import { sessionParameterTable } from './parameters.js';
import { sessionRoutes } from './routes.js';
import { sessionsEnded } from './session-outcomes.js';

export { assertMayEndSessions, type SessionRule } from './may-end-sessions.js';
export { ofOwnAccount } from './own-sessions.js';
export { readLifetimes, sessionParameters } from './parameters.js';

export { noteSessions } from './session-outcomes.js';

const permissions = definePermissions({
  title: { en: 'Sessions', 'zh-CN': '会话' },
  permissions: {
    'api:admin:sessions:list': { en: 'See the sessions of others', 'zh-CN': '查看他人的会话' },
    'api:admin:sessions:end': { en: 'End the sessions of others', 'zh-CN': '结束他人的会话' },
  },
});

export const sessions = defineModule({
  name: 'sessions',
  prepare: recordClockEvents,
  outcomes: { 'auth.logout': sessionsEnded, 'session.revoke': sessionsEnded },
  permissions,
  parameters: [sessionParameterTable],
  tags: { Sessions: 'Sessions and single-use tickets.' },
  operations: sessionOperations,
  routes: sessionRoutes,
});
