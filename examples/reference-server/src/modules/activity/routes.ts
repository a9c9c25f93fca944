import { Type } from 'typebox';
import { oneOf } from '../../http/lists.js';
import type { App } from '../../http/module.js';
import { showLock } from '../login-policy/index.js';
import { ACTIVITY_KINDS, type ActivityKind } from './events.js';
import { createSessionCounts } from './session-counts.js';
import { createActivityStreams } from './streams.js';

const counts = Type.Array(Type.Integer());

const activity = Type.Object(
  {
    from: Type.Integer(),
    interval: Type.Integer(),
    kinds: Type.Object(
      Object.fromEntries(ACTIVITY_KINDS.map((kind) => [kind, counts])) as Record<ActivityKind, typeof counts>,
    ),
  },
  { title: 'Activity' },
);

const querystring = Type.Object(
  { window: Type.Union([Type.Literal('hour'), Type.Literal('day')], { default: 'hour' }) },
  { additionalProperties: false },
);

/** As many as a first page of the list. */
const SHOWN_LOCKS = 20;

/** As `id` of an event. Anything else names no state, and is as good as none. */
const MAX_EVENT_ID_LENGTH = 64;

/** `GET /admin/activity` and `GET /admin/activity/stream` (API-5): what happens, by kind and interval. */
export async function activityRoutes(app: App): Promise<void> {
  const { read, readSources } = app.activity;
  const readCounts = createSessionCounts(app.authTokens);
  const streams = createActivityStreams({
    read,
    readSources,
    async readLocks() {
      const { locks, next } = await app.presentLocks.read({ after: null, size: SHOWN_LOCKS });
      return { data: locks.map(showLock), hasMore: next !== null };
    },
    // Their number is an addition: the stream goes on without it.
    readSessions: () => readCounts().catch(() => null),
    onFailure: (err) => app.log.debug({ err }, 'a look for the streams of activity failed'),
  });
  app.addHook('preClose', async () => streams.close());

  app.get(
    '/admin/activity',
    {
      config: {
        access: 'admin',
        permission: 'api:admin:activity:read',
        // Numbers without names. A page that shows them reads them every few seconds.
        audit: false,
      },
      schema: { querystring, response: { 200: oneOf(activity) } },
    },
    async function readActivity({ query }) {
      return { data: await read(query.window) };
    },
  );

  app.get(
    '/admin/activity/stream',
    {
      // Its answer has no end.
      exposeHeadRoute: false,
      config: { access: 'admin', permission: 'api:admin:activity:read', audit: 'activity' },
      schema: {
        querystring,
        headers: Type.Object({ 'last-event-id': Type.Optional(Type.String({ maxLength: MAX_EVENT_ID_LENGTH })) }),
      },
    },
    async function streamActivity(request, reply) {
      const stream = await streams.open({
        principal: request.principal!.subject,
        window: request.query.window,
        lastEventId: request.headers['last-event-id'] ?? null,
        seal: app.envelopeCrypto.sealEvents(request),
        // Writes nothing, so a stream does not keep its session alive.
        async check() {
          await app.confirmStillServed(request);
          const [maySeeSources, maySeeLocks] = await Promise.all([
            request.hasPermission('api:admin:activity:sources'),
            request.hasPermission('api:admin:login-policy:explain'),
          ]);
          return { maySeeSources, maySeeLocks };
        },
      });
      return (
        reply
          .type('text/event-stream; charset=utf-8')
          // nginx would collect the events.
          .headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
          .send(stream)
      );
    },
  );
}
