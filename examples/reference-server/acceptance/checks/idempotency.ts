import { type Answer, inShort } from '../answer.js';
import type { AcceptanceCheck, CheckContext } from '../check.js';
import { findLeftBehind, type TemporaryKind } from '../temporaries.js';
import { acceptedKind, upload } from '../uploads.js';

/** The number of parallel requests. */
const COPIES = 20;

const EXPECTED = ['IDEMPOTENCY_PROCESSING', 'IDEMPOTENCY_SUBMITTED'];

const oneEffect: AcceptanceCheck = {
  id: 'idempotency.writes',
  title: 'of parallel writes under one key exactly one takes effect, and another content under it is refused',
  async run(context) {
    const { deployment, operator, temporaries, did, hole } = context;
    const key = crypto.randomUUID();
    const create = async (body: object, headers: Record<string, string> = { 'idempotency-key': key }) => {
      const call = { method: 'POST', path: '/admin/roles', body, token: operator.token, headers };
      const answer = await deployment.call(call);
      temporaries.remember('role', answer.json?.data?.id);
      return answer;
    };
    const name = temporaries.name();
    const answers = await Promise.all(Array.from({ length: COPIES }, () => create({ name, permissions: [] })));
    await judge(context, 'role', name, answers);
    const again = await create({ permissions: [], name });
    if (again.code !== 'IDEMPOTENCY_SUBMITTED') {
      hole(`the same write again is answered ${inShort(again)}, and not IDEMPOTENCY_SUBMITTED`);
    }
    const other = await create({ name: temporaries.name(), permissions: [] });
    if (other.code !== 'IDEMPOTENCY_DIGEST_MISMATCH') {
      hole(`another write under the same key is answered ${inShort(other)}, and not IDEMPOTENCY_DIGEST_MISMATCH`);
    }
    const invalid = await create({ name: temporaries.name(), permissions: [] }, { 'idempotency-key': 'not-a-uuid' });
    if (invalid.code !== 'IDEMPOTENCY_KEY_INVALID') {
      hole(`a key that is no UUID is answered ${inShort(invalid)}, and not IDEMPOTENCY_KEY_INVALID`);
    }
    did(
      `${COPIES} parallel writes; then the same: ${inShort(again)}, another: ${inShort(other)}, a bad key: ${inShort(invalid)}`,
    );
  },
};

const oneFile: AcceptanceCheck = {
  id: 'idempotency.uploads',
  title: 'of parallel uploads under one key exactly one is stored',
  async run(context) {
    const { temporaries, did } = context;
    const kind = await acceptedKind(context);
    const name = `${temporaries.name()}.${kind.extension}`;
    const file = { name, type: kind.type, content: kind.content() };
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const answers = await Promise.all(Array.from({ length: COPIES }, () => upload(context, file, {}, headers)));
    await judge(context, 'file', name, answers);
    did(`${COPIES} parallel uploads of one file`);
  },
};

async function judge(
  { deployment, operator, hole }: CheckContext,
  kind: TemporaryKind,
  name: string,
  answers: readonly Answer[],
): Promise<void> {
  const made = answers.filter(({ status }) => status === 201).length;
  if (made !== 1) hole(`of ${answers.length} parallel requests under one key ${made} made a ${kind}, and not 1`);
  const others = answers.filter(({ status, code }) => status !== 201 && !EXPECTED.includes(code));
  if (others.length > 0) {
    hole(`${others.length} of them were answered ${inShort(others[0] as Answer)}: their key was not looked at`);
  }
  const listed = (await findLeftBehind(deployment, operator.token, name)).length;
  if (listed !== 1) hole(`there are ${listed} ${kind}s of that name, and not 1`);
}

export const idempotencyChecks: readonly AcceptanceCheck[] = [oneEffect, oneFile];
