import { SessionConnectionsExceededError } from '@sallyport/auth-tokens';
import { StoreUnavailableError } from '@sallyport/ttl-store';
import { INSTANT } from '../../http/example-values.js';
import { defineModule } from '../../http/module.js';
import { definePermissions } from '../../http/permission-group.js';
import { StreamsExceededError } from './errors.js';
import { activityRoutes } from './routes.js';

export { activityRegistry } from './activity.js';
export { countRecords } from './events.js';
export { createSourceAccounts } from './source-accounts.js';

const permissions = definePermissions({
  title: { en: 'Activity', 'zh-CN': '动态' },
  permissions: {
    'api:admin:activity:read': { en: 'See counts of sign-ins and refusals', 'zh-CN': '查看登录与拒绝的计数' },
    'api:admin:activity:sources': { en: 'See where failed sign-ins come from', 'zh-CN': '查看失败登录的来源' },
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
        'An hour by minutes or a day by hours, over all nodes; the last interval is the present one. `from` is the start of the first, and `interval` its length, both in milliseconds. `sign-in.failure` counts wrong second steps as well, and `sign-in.lock` locks of codes of second factors. `flood.refused` counts every 429, and `sign-in.not-allowed` sign-ins of administrators from an address that is not in the IP whitelist. The counters are in the store of sessions: one in memory begins at zero with each start.',
      refusals: [StoreUnavailableError],
      response: {
        data: {
          from: INSTANT,
          interval: 3_600_000,
          kinds: {
            'sign-in.success': [...quiet(21), 4, 31, 12],
            'sign-in.failure': [...quiet(22), 2, 187],
            'sign-in.not-allowed': quiet(24),
            'sign-in.lock': [...quiet(23), 3],
            'envelope.replay': quiet(24),
            'upload.refused': quiet(24),
            'flood.refused': [...quiet(23), 61],
          },
        },
      },
    },
    'GET /admin/activity/stream': {
      tag: 'Operations',
      summary: 'Watch sign-ins, locks, replays and refusals',
      description:
        'Server-sent events, read by `fetch` with the header `Authorization`: a token never stands in the URL. The data of an event is JSON. `{ "kind": "activity", "activity": … }` has all that `GET /admin/activity` has, and `sessions`: how many are open of administrators (`admin`) and of app users (`app`), as `{ count, isExact }`, or null. With the permission `api:admin:activity:sources` it also has `sources`, where sign-ins fail: `names` of accounts that exist, `addresses` and `networks` (IPv4 by /24, IPv6 by /48), at most ten of each, with the least number of `failures`. With `api:admin:login-policy:explain` it has `locks`, as `{ data, hasMore }`: the first 20 of `GET /admin/login-policy/locks`, read every two seconds. An event comes within a second after a change, and replaces all before it; `{ "kind": "beat" }` comes after 15 s without one. With `Last-Event-ID`, which any node knows, the first event is `{ "kind": "unchanged" }` if nothing has changed. In an encrypted connection the data of each event is sealed. The stream ends with its session, does not prolong it, and ends when its permission is withdrawn. A reader that takes nothing for 30 s is dropped. An administrator has at most 4 streams on a node.',
      headers: {
        'Last-Event-ID': {
          schema: { type: 'string', maxLength: 64 },
          description: 'The `id` of the last event, of any node.',
        },
      },
      refusals: [StreamsExceededError, SessionConnectionsExceededError, StoreUnavailableError],
      answers: {
        200: {
          description: 'Events, until the session ends or the server stops.',
          content: { 'text/event-stream': { schema: { type: 'string', description: 'UTF-8. `id` and `data`.' } } },
        },
      },
    },
  },
  routes: activityRoutes,
});
