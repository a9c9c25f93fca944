import { Type } from 'typebox';
import { oneOf } from '../../http/lists.js';
import type { App } from '../../http/module.js';
import { ACTIVITY_KINDS, type ActivityKind } from './events.js';

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

/** `GET /admin/activity` (API-5): counts by kind and interval. */
export async function activityRoutes(app: App): Promise<void> {
  app.get(
    '/admin/activity',
    {
      config: {
        access: 'admin',
        permission: 'api:admin:activity:read',
        // Numbers without names. A page that shows them reads them every few seconds.
        audit: false,
      },
      schema: {
        querystring: Type.Object(
          { window: Type.Union([Type.Literal('hour'), Type.Literal('day')], { default: 'hour' }) },
          { additionalProperties: false },
        ),
        response: { 200: oneOf(activity) },
      },
    },
    async function readActivity({ query }) {
      return { data: await app.activity.read(query.window) };
    },
  );
}
