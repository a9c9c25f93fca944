import type { AbuseReport, AttackResult, HonestResult } from './results.js';
import { textOf } from './tally.js';

type Column<Row> = readonly [head: string, cell: (row: Row) => string | number];

/** Formats the tables of a run, each as rows of cells with the head first. */
export function abuseTables({ clock, minutes, attacks, honest, operator }: AbuseReport): string[][][] {
  const time = `${minutes} minutes, ${clock} clock`;
  const attackers: Column<AttackResult>[] = [
    [`attack (${time})`, ({ attack }) => attack],
    ['from', ({ from }) => from],
    ['requests', ({ requests }) => requests],
    [
      'reached, at most',
      ({ reached }) =>
        reached.map(({ what, count, bound }) => `${amount(count)} of ${amount(bound)} ${what}`).join('; '),
    ],
    ['bound', ({ reached }) => reached.map(({ source }) => source).join('; ')],
    ['takeovers expected', ({ expectedTakeovers }) => (expectedTakeovers === null ? '' : amount(expectedTakeovers))],
    ['takeovers', ({ takeovers }) => takeovers],
    ['BCrypt s', ({ price: { hashes = 0 } }) => amount(hashes * operator.hashSeconds)],
    ['messages', ({ price: { messages = 0 } }) => messages],
    ['captchas', ({ price: { captchas } }) => (captchas == null ? '' : `${captchas.fetched}, ${captchas.right} right`)],
    ['proof s', ({ price: { captchas } }) => (captchas == null ? '' : amount(captchas.cpuMillis / 1000))],
  ];
  const owners: Column<HonestResult>[] = [
    [`honest (${time})`, ({ who }) => who],
    ['sign-ins', ({ tried }) => tried],
    ['refused', ({ refused }) => refused],
    ['captchas', ({ captchas }) => captchas],
    ['may be refused', ({ mayBeRefused }) => mayBeRefused ?? 'never'],
    ['refusals', ({ outcomes }) => textOf(outcomes)],
  ];
  const cost = [
    [`operator (${time})`, ''],
    ['messages of attackers and users', `${operator.messages}`],
    ['processor seconds of both nodes', amount(operator.cpuSeconds)],
    ['seconds of one BCrypt comparison at cost 12', amount(operator.hashSeconds)],
  ];
  return [tableOf(attackers, attacks), tableOf(owners, honest), cost];
}

function tableOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string[][] {
  return [columns.map(([head]) => head), ...rows.map((row) => columns.map(([, cell]) => String(cell(row))))];
}

/** Three significant digits. */
function amount(value: number): string {
  if (value === 0 || Number.isInteger(value)) return String(value);
  return value >= 0.001 ? String(Number(value.toPrecision(3))) : value.toExponential(1);
}
