import { Type } from 'typebox';
import { NotFoundError } from '../../http/errors.js';
import { oneOf } from '../../http/lists.js';
import type { App } from '../../http/module.js';

const state = Type.Union([Type.Literal('PROCESSING'), Type.Literal('SUBMITTED'), Type.Literal('UNKNOWN')]);

const usedKey = Type.Object(
  {
    /** The state of the write. If the key has several writes, the least certain state. */
    state,
    requests: Type.Array(Type.Object({ method: Type.String(), path: Type.String(), state })),
  },
  { title: 'IdempotencyKeyUse' },
);

/** The least certain first. */
const STATES = ['UNKNOWN', 'PROCESSING', 'SUBMITTED'] as const;

/**
 * `GET /idempotency/:key`: the state of the caller's own writes under a key, in any letter case. 404: no write to a
 * path without parameters has this key. Uploads are included, changes of system parameters are not.
 */
export async function idempotencyKeyRoute(app: App): Promise<void> {
  app.get(
    '/idempotency/:key',
    {
      config: { access: ['admin', 'app'], audit: 'idempotency-key' },
      schema: { params: Type.Object({ key: Type.String({ maxLength: 100 }) }), response: { 200: oneOf(usedKey) } },
    },
    async function readIdempotencyKey({ principal, params: { key } }) {
      const { audience, subject } = principal!;
      const uses = await app.idempotency.lookUp(`${audience}:${subject}`, key);
      const requests = uses.map(({ method, url, state }) => ({ method, path: url, state }));
      const state = STATES.find((candidate) => requests.some((request) => request.state === candidate));
      if (state === undefined) throw new NotFoundError();
      return { data: { state, requests } };
    },
  );
}
