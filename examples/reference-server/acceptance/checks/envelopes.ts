import { type Answer, inShort, must } from '../answer.js';
import type { AcceptanceCheck, CheckContext } from '../check.js';
import type { SealedRequest } from '../deployment.js';
import { NotApplicableError } from '../not-run.js';
import type { RawRequest } from '../raw-request.js';

const REPLAYED = 'ENVELOPE_EXPIRED_OR_REPLAYED';

async function requireEnvelopes({ deployment }: CheckContext): Promise<void> {
  const { mode } = await deployment.bootstrap();
  if (mode === 'OFF') throw new NotApplicableError('the encryption mode is OFF');
}

/** Creation of a role, in an envelope: it has an effect, and can be undone. */
async function sealedRole(context: CheckContext, more: object = {}): Promise<SealedRequest> {
  const body = { name: context.temporaries.name(), permissions: [] };
  return context.deployment.seal({
    method: 'POST',
    path: '/admin/roles',
    body,
    token: context.operator.token,
    ...more,
  });
}

/** Sends it. The created role is deleted when the check ends. */
async function submit(
  { deployment, temporaries }: CheckContext,
  { request, open }: SealedRequest,
  change: Partial<RawRequest> = {},
): Promise<Answer> {
  const raw = await deployment.send({ ...request, ...change });
  const answer = openOrKeep(raw, open);
  temporaries.remember('role', answer.json?.data?.id);
  return answer;
}

/** An answer that does not open is compared as it came; it still is not the expected refusal. */
function openOrKeep(answer: Answer, open: SealedRequest['open']): Answer {
  try {
    return open(answer);
  } catch {
    return answer;
  }
}

/** The number of parallel copies. */
const COPIES = 12;

const replay: AcceptanceCheck = {
  id: 'envelopes.replay',
  title: 'an envelope takes effect once, one after the other and all at once',
  async run(context) {
    await requireEnvelopes(context);
    const { deployment, operator, did, hole } = context;
    const post = await sealedRole(context);
    must(await submit(context, post), 201, 'make a role in an envelope');
    const again = await submit(context, post);
    if (again.code !== REPLAYED)
      hole(`a second POST of one envelope is answered ${inShort(again)}, and not ${REPLAYED}`);

    const get = await deployment.seal({ path: '/admin/profile', token: operator.token });
    must(get.open(await deployment.send(get.request)), 200, 'read the profile in an envelope');
    const read = await deployment.send(get.request);
    if (read.code !== REPLAYED) hole(`a second GET of one envelope is answered ${inShort(read)}, and not ${REPLAYED}`);

    const copied = await sealedRole(context);
    const answers = await Promise.all(Array.from({ length: COPIES }, () => submit(context, copied)));
    // The guard must have answered all other copies.
    const passed = answers.filter(({ code }) => code !== REPLAYED).length;
    if (passed !== 1) hole(`of ${COPIES} parallel copies of one envelope ${passed} got through, and not 1`);
    did(`POST twice: ${inShort(again)}; GET twice: ${inShort(read)}; ${COPIES} parallel copies: ${passed} got through`);
  },
};

const REJECTED = 'ENVELOPE_REJECTED';

const moved: AcceptanceCheck = {
  id: 'envelopes.moved',
  title: 'an envelope is good for its path, method, token and key alone, and for nobody who changed a bit of it',
  async run(context) {
    await requireEnvelopes(context);
    const { operator, bystander, temporaries, did, hole } = context;
    const other = await bystander();
    const headersOf = ({ request }: SealedRequest) => ({ ...request.headers });
    const attempts: Record<string, (sealed: SealedRequest) => Partial<RawRequest>> = {
      'to another path': () => ({ target: '/admin/administrators' }),
      'to another method': () => ({ method: 'PUT', target: '/admin/roles/00000000-0000-4000-8000-000000000000' }),
      'to another Idempotency-Key': (sealed) => ({
        headers: { ...headersOf(sealed), 'idempotency-key': crypto.randomUUID() },
      }),
      'with another stamp': changed('ts', (ts) => Number(ts) + 1),
      'with another nonce': changed('nonce', flip),
      'with another IV': changed('iv', flip),
      'with a changed ciphertext': changed('ct', flip),
      'with a changed tag': changed('ct', (ct) => flip(String(ct), String(ct).length - 4)),
    };
    for (const [what, change] of Object.entries(attempts)) {
      const sealed = await sealedRole(context);
      const answer = await submit(context, sealed, change(sealed));
      if (answer.code !== REJECTED)
        hole(`an envelope moved ${what} is answered ${inShort(answer)}, and not ${REJECTED}`);
      const untouched = await submit(context, sealed);
      if (untouched.status !== 201) hole(`after a copy ${what}, the envelope itself is answered ${inShort(untouched)}`);
    }

    // The token of an account without the permission would be refused with 403 anyway. So the envelope is sealed for
    // that account and sent by the operator.
    const foreign = await context.deployment.seal({
      ...{ method: 'POST', path: '/admin/roles', token: other.token },
      body: { name: temporaries.name(), permissions: [] },
    });
    const headers = { ...headersOf(foreign), authorization: `Bearer ${operator.token}` };
    const taken = await submit(context, foreign, { headers });
    if (taken.code !== REJECTED)
      hole(`an envelope under another's token is answered ${inShort(taken)}, and not ${REJECTED}`);
    did(`moved or changed envelopes in ${Object.keys(attempts).length + 1} ways; the untouched ones worked once`);
  },
};

/** Changes one member of the envelope in the body. */
function changed(member: string, change: (value: unknown) => unknown): (sealed: SealedRequest) => Partial<RawRequest> {
  return ({ request }) => {
    const envelope: Record<string, unknown> = JSON.parse(String(request.body));
    return { body: JSON.stringify({ ...envelope, [member]: change(envelope[member]) }) };
  };
}

/** Changes a base64url character all of whose bits are significant. */
function flip(text: unknown, place = 2): string {
  const characters = [...String(text)];
  characters[place] = characters[place] === 'A' ? 'B' : 'A';
  return characters.join('');
}

/** Distance outside of the window, in milliseconds: more than a request takes. */
const BEYOND_MILLIS = 60_000;

const stale: AcceptanceCheck = {
  id: 'envelopes.stamps',
  title: 'envelopes from outside the time window are refused, those inside are taken',
  async run(context) {
    await requireEnvelopes(context);
    const { deployment, did, hole } = context;
    const { timestampWindowSeconds } = await deployment.bootstrap();
    const window = timestampWindowSeconds * 1000;
    for (const [what, aheadMillis] of [
      ['too old', -window - BEYOND_MILLIS],
      ['too far ahead', window + BEYOND_MILLIS],
    ] as const) {
      const answer = await submit(context, await sealedRole(context, { aheadMillis }));
      if (answer.code !== REPLAYED)
        hole(`an envelope that is ${what} is answered ${inShort(answer)}, and not ${REPLAYED}`);
    }
    must(await submit(context, await sealedRole(context)), 201, 'make a role in a fresh envelope');
    did(`stamps one minute outside of the window of ${timestampWindowSeconds} s, on both sides`);
  },
};

const plaintext: AcceptanceCheck = {
  id: 'envelopes.plaintext',
  title: 'where envelopes are demanded nothing else is taken, and no header makes one of plaintext',
  async run(context) {
    await requireEnvelopes(context);
    const { deployment, operator, temporaries, did, hole } = context;
    const { mode } = await deployment.bootstrap();
    const authorization = `Bearer ${operator.token}`;
    const json = { authorization, 'content-type': 'application/json' };
    const body = () => JSON.stringify({ name: temporaries.name(), permissions: [] });
    const send = async (request: RawRequest) => {
      const answer = await deployment.send(request);
      temporaries.remember('role', answer.json?.data?.id);
      return answer;
    };
    const post = { method: 'POST', target: '/admin/roles' };

    const labelled = await send({ ...post, headers: { ...json, 'api-encryption': 'v1' }, body: body() });
    if (labelled.status < 400) hole(`a plaintext body with the header of envelopes is answered ${inShort(labelled)}`);
    const { request } = await sealedRole(context);
    const bare = await send({ ...request, headers: json });
    if (bare.status < 400) hole(`an envelope without its header is answered ${inShort(bare)}`);
    const version = await send({ ...request, headers: { ...request.headers, 'api-encryption': 'v0' } });
    if (version.status < 400) hole(`an envelope of another version is answered ${inShort(version)}`);
    if (mode === 'REQUIRED') {
      const attempts: Readonly<Record<string, RawRequest>> = {
        'POST with a plaintext body': { ...post, headers: json, body: body() },
        'GET with a plaintext query': { method: 'GET', target: '/admin/roles?size=1', headers: { authorization } },
        'GET without anything': { method: 'GET', target: '/admin/profile', headers: { authorization } },
        'DELETE without anything': {
          ...{ method: 'DELETE', target: '/admin/roles/00000000-0000-4000-8000-000000000000' },
          headers: { authorization },
        },
      };
      for (const [what, attempt] of Object.entries(attempts)) {
        const answer = await send(attempt);
        if (answer.code !== 'ENVELOPE_REQUIRED')
          hole(`${what} is answered ${inShort(answer)}, and not ENVELOPE_REQUIRED`);
      }
    }
    did(`mode ${mode}: plaintext under the header ${inShort(labelled)}, envelope without it ${inShort(bare)}`);
  },
};

export const envelopeChecks: readonly AcceptanceCheck[] = [replay, moved, stale, plaintext];
