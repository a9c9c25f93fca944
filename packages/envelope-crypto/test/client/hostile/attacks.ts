import { type Forgery, forgedAnswers, forgedBootstraps, isStall } from './forgeries.js';
import type { Attack, ManInTheMiddle, Sightings } from './man-in-the-middle.js';

/** When the attack begins. */
export const STEPS = ['first contact', 'after the first sealed request', 'change of the key'] as const;
export type Step = (typeof STEPS)[number];

/** How a client is set. */
export const SETTINGS = ['default', 'requireEncryption', 'trustedKeys'] as const;
export type Setting = (typeof SETTINGS)[number];

/** The options of a setting. */
export function optionsOf(setting: Setting, trustedKeys: readonly string[]): object {
  if (setting === 'default') return {};
  return setting === 'requireEncryption' ? { requireEncryption: true } : { trustedKeys };
}

/** A client under attack. Its requests carry the secret. It gives a request up when the signal aborts. */
export interface Victim {
  /** Resolves to the data of a 2xx answer, or undefined for another answer. Rejects as the client does. */
  post(path: string, body: object, signal?: AbortSignal): Promise<unknown>;
  get(path: string, signal?: AbortSignal): Promise<unknown>;
}

/** Answers after which a client may read the bootstrap again. */
const TRIGGERS = ['ENVELOPE_REQUIRED', 'ENVELOPE_KEY_UNKNOWN', 'ENVELOPE_REJECTED', '200, an envelope of nothing'];

/** Bootstraps that give a request away where they are believed. */
const BAIT = ['OFF', "the attacker's key, new id", "the attacker's key, real id"];

const named = (forgeries: readonly Forgery[], names: readonly string[]) =>
  names.map((name) => forgeries.find((forgery) => forgery.name === name)!);

/** Each forgery alone, each bootstrap after each answer that has it read, each answer before each bait. */
export function allAttacks(): Attack[] {
  const pairs = new Map<string, Attack>();
  const add = (bootstrap: Forgery | null, answer: Forgery | null) =>
    pairs.set(`${bootstrap?.name}+${answer?.name}`, { bootstrap, answer });
  for (const bootstrap of forgedBootstraps) {
    for (const answer of [null, ...named(forgedAnswers, TRIGGERS)]) add(bootstrap, answer);
  }
  for (const answer of forgedAnswers) {
    for (const bootstrap of [null, ...named(forgedBootstraps, BAIT)]) add(bootstrap, answer);
  }
  return [...pairs.values()];
}

/** Each forgery once, where a client meets it: a bootstrap that nothing has it read again needs an answer first. */
export function shortAttacks(step: Step): Attack[] {
  const [off] = named(forgedBootstraps, ['OFF']);
  const [unknownKey] = named(forgedAnswers, ['ENVELOPE_KEY_UNKNOWN']);
  const answer = step === 'after the first sealed request' ? unknownKey! : null;
  return [
    ...forgedBootstraps.map((bootstrap) => ({ bootstrap, answer })),
    ...forgedAnswers.map((answer) => ({ bootstrap: step === 'first contact' ? null : off!, answer })),
  ];
}

/** The result of one attack. */
export interface AttackResult extends Sightings {
  /** Forged successes that reached the application as data. */
  readonly believed: number;
  /** Whether the client serves its application again after the attack, within three requests. */
  readonly isServedAfterwards: boolean;
}

export interface AttackRun {
  readonly attacker: ManInTheMiddle;
  readonly attack: Attack;
  readonly step: Step;
  readonly secret: string;
  readonly paths: { readonly post: string; readonly get: string };
  createVictim(): Victim;
  /** Gives the service another key, which the client does not know. */
  changeKey(): void;
  /** Moves the client's clock. */
  letAMinutePass(): void;
  /** How long a victim waits for an answer that does not come. */
  readonly patienceMillis: number;
  /** Whether to leave out the requests in parallel. */
  readonly isShort: boolean;
}

/** One client, from its first request to the end of the attack. */
export async function runAttack(run: AttackRun): Promise<AttackResult> {
  const { attacker, attack, step, secret, paths } = run;
  const sightings = attacker.watch();
  const victim = run.createVictim();
  const mustGiveUp = isStall(attack.bootstrap) || isStall(attack.answer);
  let isAttacked = false;
  const patience = () => (isAttacked && mustGiveUp ? AbortSignal.timeout(run.patienceMillis) : undefined);
  const post = () => victim.post(paths.post, { payee: secret, amount: '12.50' }, patience());
  const get = () => victim.get(`${paths.get}?search=${secret}`, patience());
  if (step !== 'first contact') await post();
  if (step === 'change of the key') run.changeKey();
  attacker.attack(attack);
  isAttacked = true;
  let believed = 0;
  const count = (data: unknown) => {
    if (JSON.stringify(data ?? null).includes('forged')) believed += 1;
  };
  const quietly = (sending: Promise<unknown>) => sending.then(count, () => {});
  await quietly(post());
  await quietly(get());
  if (!run.isShort) await Promise.all([quietly(post()), quietly(get())]);
  attacker.attack(null);
  isAttacked = false;
  run.letAMinutePass();
  let isServedAfterwards = false;
  for (let i = 0; i < 3 && !isServedAfterwards; i++) {
    isServedAfterwards = await get().then(
      (data) => data !== undefined,
      () => false,
    );
  }
  return { ...sightings, believed, isServedAfterwards };
}
