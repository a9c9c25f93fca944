import {
  allAttacks,
  optionsOf,
  runAttack,
  SETTINGS,
  type Setting,
  STEPS,
  type Step,
  shortAttacks,
} from '../../../../packages/envelope-crypto/test/client/hostile/attacks.js';
import type { Attack } from '../../../../packages/envelope-crypto/test/client/hostile/man-in-the-middle.js';
import type { Violation, ViolationKind } from '../history-checker.js';
import type { AttackerProxy } from './attacker-proxy.js';
import { victims } from './victims.js';

/** What one kind of client lost, with one setting, to attacks that begin at one step. */
export interface HostileRow {
  readonly client: string;
  readonly setting: Setting;
  readonly step: Step;
  attacks: number;
  forged: number;
  sealed: number;
  /** Requests that left in the clear before the first sealed one of their client, and from it on. */
  clearBefore: number;
  clearAfter: number;
  /** Sealed requests that the attacker read with his own key. */
  read: number;
  /** Forged successes that the application got as data, although the attacker had read nothing. */
  believed: number;
  /** Clients that were still not served after the attack, within three requests. */
  shutOut: number;
}

export interface HostileOptions {
  readonly proxy: AttackerProxy;
  /** Two nodes with different keys. */
  readonly origins: readonly [string, string];
  readonly trustedKeys: readonly string[];
  readonly token: string;
  readonly secret: string;
  readonly isShort: boolean;
  /** Whether the clients share the forgeries: each is tried at each step with each setting by one of them. */
  readonly isShared: boolean;
  readonly clients: readonly string[];
  /** Reports how far the run is. */
  say(line: string): void;
}

/** How long a victim waits for an answer that does not come: longer than the service needs for one. */
const PATIENCE_MILLIS = 150;

/** Before and after the attack a busy machine may take its time. */
const QUIET_PATIENCE_MILLIS = 10_000;

/** Runs every attack at every step against every client with every setting. */
export async function runHostile(options: HostileOptions): Promise<{ rows: HostileRow[]; violations: Violation[] }> {
  const rows: HostileRow[] = [];
  const violations: Violation[] = [];
  for (const [clientIndex, client] of options.clients.entries()) {
    for (const [settingIndex, setting] of SETTINGS.entries()) {
      for (const [stepIndex, step] of STEPS.entries()) {
        const attacks = (options.isShort ? shortAttacks(step) : allAttacks()).filter((_, index) => {
          const turn = index + settingIndex + stepIndex + clientIndex;
          return !options.isShared || turn % options.clients.length === 0;
        });
        rows.push(await runCell({ client, setting, step }, attacks, options, violations));
        options.say(`${client}, ${setting}, ${step}: ${violations.length} violations so far`);
      }
    }
  }
  return { rows, violations };
}

type Cell = Pick<HostileRow, 'client' | 'setting' | 'step'>;

async function runCell(
  cell: Cell,
  attacks: readonly Attack[],
  options: HostileOptions,
  violations: Violation[],
): Promise<HostileRow> {
  const { proxy, origins, token, secret, isShort } = options;
  const sums = { attacks: 0, forged: 0, sealed: 0, clearBefore: 0, clearAfter: 0, read: 0, believed: 0, shutOut: 0 };
  const row: HostileRow = { ...cell, ...sums };
  const { setting, step } = cell;
  for (const attack of attacks) {
    let aheadMillis = 0;
    let isAttacked = false;
    proxy.leadTo(origins[0]);
    const result = await runAttack({
      ...{ attack, step, secret, isShort, patienceMillis: PATIENCE_MILLIS },
      attacker: {
        ...proxy.attacker,
        attack(chosen) {
          isAttacked = chosen !== null;
          proxy.attacker.attack(chosen);
        },
      },
      paths: { post: '/admin/payments', get: '/admin/profile' },
      changeKey: () => proxy.leadTo(origins[1]),
      letAMinutePass() {
        aheadMillis = 61_000;
      },
      createVictim() {
        const settings = optionsOf(setting, options.trustedKeys);
        return victims[cell.client]!({
          ...{ origin: proxy.origin, token, settings, now: () => Date.now() + aheadMillis },
          timeoutMillis: () => (isAttacked ? PATIENCE_MILLIS : QUIET_PATIENCE_MILLIS),
        });
      },
    });
    const believed = result.read === 0 && result.clearBefore === 0 ? result.believed : 0;
    row.attacks += 1;
    row.forged += result.forged.length;
    row.sealed += result.sealed;
    row.clearBefore += result.clearBefore;
    row.clearAfter += result.clearAfter;
    row.read += result.read;
    row.believed += believed;
    if (!result.isServedAfterwards) row.shutOut += 1;

    const key = `${cell.client}, ${setting}, ${step}: ${attack.bootstrap?.name} / ${attack.answer?.name}`;
    const lost = (kind: ViolationKind, count: number) => {
      if (count > 0) violations.push({ kind, key, detail: `${count}` });
    };
    lost('sent-in-the-clear', result.clearAfter);
    lost('forgery-believed', believed);
    if (setting !== 'default') lost('sent-in-the-clear', result.clearBefore);
    if (setting === 'trustedKeys') lost('read-by-attacker', result.read);
    if (setting !== 'default') lost('shut-out', result.isServedAfterwards ? 0 : 1);
  }
  return row;
}

/** The table of a run, as rows of cells with the head first. */
export function hostileTable(rows: readonly HostileRow[]): string[][] {
  const head = ['client', 'setting', 'attack from', 'attacks', 'forged answers', 'sealed requests'];
  const counts = ['in the clear before the first sealed', 'in the clear after it', 'read by his key'];
  return [
    [...head, ...counts, 'forged data believed', 'not served afterwards'],
    ...rows.map((row) =>
      [
        ...[row.client, row.setting, row.step, row.attacks, row.forged, row.sealed],
        ...[row.clearBefore, row.clearAfter, row.read, row.believed, row.shutOut],
      ].map(String),
    ),
  ];
}
