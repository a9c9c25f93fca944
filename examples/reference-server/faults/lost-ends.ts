import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { type ApiAnswer, callApi } from './api-client.js';
import type { Violation } from './history-checker.js';
import { inParallel } from './in-parallel.js';
import type { Finding } from './observed-run.js';
import type { Site } from './scenarios/scenario.js';
import type { SharedFleet } from './scenarios/shared-fleet.js';
import { type CastSession, openSessionCast, type SessionCast } from './session-cast.js';
import type { StoreLoss } from './store-losses.js';

/** Of the ended sessions, one of so many is also asked for while the store loses it. */
const SAMPLE_INTERVAL = 40;
const SAMPLE_PAUSE_MILLIS = 200;

/** How long the nodes may need to find the store again. */
const SERVED_WITHIN_MILLIS = 20_000;

/** A snapshot is then older than a beat of each node. */
const AFTER_BEAT_MILLIS = 1500;

export interface LostEnds {
  readonly site: Site;
  readonly shared: SharedFleet;
  readonly loss: StoreLoss;
  /** How many sessions administrators open. */
  readonly size: number;
  /** Connects to every process that accepts writes. */
  readonly connect: () => Promise<readonly Redis[]>;
  /** Runs directly before the loss. */
  readonly beforeLoss?: () => Promise<unknown>;
  /** Makes the first attempts fail in the database, after the store was told of the ends. */
  readonly failingFirst: (work: () => Promise<void>) => Promise<void>;
}

/** Opens sessions, ends most of them, loses the ends in the store of sessions, and asks both nodes with every token. */
export async function observeLostEnds(given: LostEnds): Promise<Finding> {
  const { site, shared, loss, size, connect, beforeLoss } = given;
  const { fault, prepare, lose } = loss;
  site.say(fault);
  const { fleet, origins } = shared;
  const cast = await openSessionCast(origins, await fleet.signIn(), size);
  await prepare?.();
  if (prepare !== undefined) await sleep(AFTER_BEAT_MILLIS);
  await endAll(cast, given);
  await beforeLoss?.();
  const began = performance.now();
  let harmMillis = 0;
  const during = await askWhile(origins, sampleOf(cast.sessions), async () => {
    await lose(shared);
    harmMillis = Math.round(performance.now() - began);
  });
  const stored = await liveInStore(await connect(), fleet.keyPrefix);
  const revived = cast.sessions.filter(({ jti, ending }) => ending !== null && stored.has(jti)).length;
  const answers = (await inParallel([...cast.sessions.entries()], (entry) => askAll(origins, entry))).flat();
  const definite = during.filter(({ answer }) => isDefinite(answer));
  const violations = [...definite, ...answers].flatMap(({ session, answer, node }) => {
    const kind = faultOf({ ...session, isStored: stored.has(session.jti) }, answer);
    const detail = `node ${node + 1}, ended by ${session.ending}: ${answer.status} ${answer.code}`;
    return kind === null ? [] : [{ kind, key: session.jti, detail } satisfies Violation];
  });
  const kept = answers.filter(({ session: { ending } }) => ending === null);
  return {
    scenario: 'TOK-15',
    store: site.store,
    fault,
    times: 1,
    keys: cast.sessions.length,
    attempts: during.length + answers.length,
    acknowledged: cast.sessions.filter(({ ending }) => ending !== null).length,
    submitted: 0,
    unknown: 0,
    slowestMillis: Math.round(Math.max(...answers.map(({ waitedMillis }) => waitedMillis))),
    rows: 0,
    measured: [
      `${revived} ended ones came back in the store`,
      `${kept.filter(({ answer }) => answer.status === 200).length} of ${kept.length} kept ones go on`,
      `${answers.reduce((sum, { unavailable }) => sum + unavailable, 0)} 503`,
      `fault ${harmMillis} ms, ${during.length} asked meanwhile`,
    ].join(', '),
    violations,
  };
}

async function endAll(cast: SessionCast, { shared, loss, connect, failingFirst }: LostEnds): Promise<void> {
  const { fleet, origins } = shared;
  if (loss.ends === 'repeated') return failingFirst(() => cast.endAt(origins[0]));
  if (loss.ends === undefined) return cast.endAt(origins[0]);
  for (const client of await connect()) {
    await client.flushall();
    client.disconnect();
  }
  await sleep(AFTER_BEAT_MILLIS);
  await cast.endUnseenAt(origins[0], await fleet.signIn());
  await sleep(AFTER_BEAT_MILLIS);
}

/** What a definite answer to a session's token shows; null: it is right. */
export function faultOf(
  { ending, isStored }: Pick<CastSession, 'ending'> & { readonly isStored: boolean },
  { status }: Pick<ApiAnswer, 'status'>,
): Violation['kind'] | null {
  if (ending !== null) return status === 401 ? null : 'ended-session-lives';
  // A session that the store has lost as well is over.
  return status === 200 || (status === 401 && !isStored) ? null : 'session-lost';
}

/** The sessions that the store takes for live, before anybody asks for them. */
async function liveInStore(clients: readonly Redis[], keyPrefix: string): Promise<ReadonlySet<string>> {
  const live = new Set<string>();
  try {
    for (const client of clients) {
      for await (const keys of client.scanStream({ match: `*${keyPrefix}*session:*`, count: 1000 })) {
        const texts = await Promise.all((keys as string[]).map((key) => client.get(key).catch(() => null)));
        for (const text of texts) for (const { id } of liveOf(text)) live.add(id);
      }
    }
    return live;
  } finally {
    for (const client of clients) client.disconnect();
  }
}

function liveOf(text: string | null): readonly { readonly id: string }[] {
  try {
    return JSON.parse(text ?? '{}').live ?? [];
  } catch {
    // Another kind of entry.
    return [];
  }
}

interface Answered {
  readonly session: CastSession;
  readonly node: number;
  readonly answer: ApiAnswer;
}

interface Asked extends Answered {
  readonly unavailable: number;
  readonly waitedMillis: number;
}

/** A few ended ones: the others are asked for the first time after the loss. */
function sampleOf(sessions: readonly CastSession[]): readonly CastSession[] {
  return sessions.filter(({ ending }) => ending !== null).filter((_, index) => index % SAMPLE_INTERVAL === 0);
}

/** Asks every node all the time, until `work` is done and a beat has passed. */
async function askWhile(
  origins: readonly string[],
  sample: readonly CastSession[],
  work: () => Promise<unknown>,
): Promise<Answered[]> {
  const answered: Answered[] = [];
  let isOver = false;
  const asking = origins.map(async (origin, node) => {
    while (!isOver) {
      for (const session of sample) {
        answered.push({ session, node, answer: await callApi(origin, session.path, { token: session.token }) });
      }
      await sleep(SAMPLE_PAUSE_MILLIS);
    }
  });
  await work();
  await sleep(AFTER_BEAT_MILLIS);
  isOver = true;
  await Promise.all(asking);
  return answered;
}

const isDefinite = ({ status }: ApiAnswer) => status !== 503 && status !== 0;

/** Asks every node, each session another one first. */
async function askAll(origins: readonly string[], [index, session]: readonly [number, CastSession]): Promise<Asked[]> {
  const asked: Asked[] = [];
  for (let turn = 0; turn < origins.length; turn += 1) {
    const node = (index + turn) % origins.length;
    asked.push({ session, node, ...(await ask(origins[node]!, session)) });
  }
  return asked;
}

/** While a node has no connection to the store, it refuses everybody with 503. */
async function ask(origin: string, { path, token }: CastSession) {
  const began = performance.now();
  for (let unavailable = 0; ; unavailable += 1) {
    const answer = await callApi(origin, path, { token });
    const waitedMillis = performance.now() - began;
    if (isDefinite(answer) || waitedMillis > SERVED_WITHIN_MILLIS) return { answer, unavailable, waitedMillis };
    await sleep(100);
  }
}
