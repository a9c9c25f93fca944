import { StoreUnavailableError } from '@sallyport/ttl-store';
import { INSTANT } from '../../http/example-values.js';
import { defineModule } from '../../http/module.js';
import { definePermissions } from '../../http/permission-group.js';
import { activityRoutes } from './routes.js';

export { activityRegistry } from './activity.js';
export { countRecords } from './events.js';

const permissions = definePermissions({
  title: { en: 'Activity', 'zh-CN': '动态' },
  permissions: {
    'api:admin:activity:read': { en: 'See counts of sign-ins and refusals', 'zh-CN': '查看登录与拒绝的计数' },
  },
});

const quiet = (length: number) => Array.from({ length }, () => 0);

export const activity = defineModule({
  name: 'activity',
  permissions,
  operations: {
    'GET /admin/activity': {
      tag: 'Operations',
      summary: 'Count sign-ins, locks, replays and refusals by interval',
      description:
        'An hour by minutes or a day by hours, over all nodes; the last interval is the present one. `from` is the start of the first, and `interval` its length, both in milliseconds. `flood.refused` counts every 429. The counters are in the store of sessions: one in memory begins at zero with each start.',
      refusals: [StoreUnavailableError],
      response: {
        data: {
          from: INSTANT,
          interval: 3_600_000,
          kinds: {
            'sign-in.success': [...quiet(21), 4, 31, 12],
            'sign-in.failure': [...quiet(22), 2, 187],
            'sign-in.lock': [...quiet(23), 3],
            'envelope.replay': quiet(24),
            'upload.refused': quiet(24),
            'flood.refused': [...quiet(23), 61],
          },
        },
      },
    },
  },
  routes: activityRoutes,
});
