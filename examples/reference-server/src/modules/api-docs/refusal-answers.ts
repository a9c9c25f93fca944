import { statusTexts } from '../../http/language.js';
import { type Refusal, type RefusalClass, refusalOf } from '../../http/refusal.js';

const PROBLEM_TYPE = 'application/problem+json';

const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });

const header = (name: string) => ({ [name]: ref('headers', name) });

export interface RefusalAnswers {
  /** References to the answers of an operation that refuses with these classes, by status. */
  answersOf(classes: readonly RefusalClass[]): Readonly<Record<string, object>>;
  /** The answers that the references mean, by name. */
  components(): Readonly<Record<string, object>>;
  /** The texts of all codes, as a table in Markdown. */
  table(): string;
}

/**
 * Collects the refusals of all operations. Operations that refuse with the same codes of a status share one answer,
 * which lists exactly these codes. The text of a code is there once.
 *
 * @param everywhere the refusals of every operation. They tell no answers apart, and are not in their names.
 */
export function createRefusalAnswers(everywhere: readonly RefusalClass[]): RefusalAnswers {
  const anywhere = everywhere.map(refusalOf);
  /** By the codes. */
  const answers = new Map<string, { readonly name: string; readonly answer: object }>();
  const refused = new Map<string, Refusal>();

  function share(status: number, refusals: readonly Refusal[]): object {
    const codes = refusals.map(({ code }) => code).join(' ');
    const shared = answers.get(codes) ?? { name: freeName(status, refusals), answer: answerOf(status, refusals) };
    answers.set(codes, shared);
    for (const refusal of refusals) refused.set(refusal.code, refusal);
    return ref('responses', shared.name);
  }

  function freeName(status: number, refusals: readonly Refusal[]): string {
    const name = `Refused${status}${tellingName(refusals.filter((refusal) => !anywhere.includes(refusal)))}`;
    const taken = new Set([...answers.values()].map((each) => each.name));
    let free = name;
    for (let count = 2; taken.has(free); count += 1) free = `${name}${count}`;
    return free;
  }

  return {
    answersOf(classes) {
      const refusals = [...new Set(classes.map(refusalOf))].sort(byCode);
      const groups = new Map<number, Refusal[]>();
      for (const refusal of refusals) groups.set(refusal.status, [...(groups.get(refusal.status) ?? []), refusal]);
      return Object.fromEntries([...groups].map(([status, ofStatus]) => [status, share(status, ofStatus)]));
    },
    components: () => Object.fromEntries(sorted([...answers.values()].map(({ name, answer }) => [name, answer]))),
    table: () =>
      ['| status | code | meaning |', '|---|---|---|', ...[...refused.values()].sort(byStatus).map(rowOf)].join('\n'),
  };
}

/** The code: `NotFound`. Of several, their first words: `BodyEnvelopeValidation`. */
function tellingName(refusals: readonly Refusal[]): string {
  const words = refusals.map(({ code }) => code.split('_'));
  const telling = words.length === 1 ? words.flat() : words.map(([first = '']) => first);
  return [...new Set(telling)].map((word) => `${word[0]}${word.slice(1).toLowerCase()}`).join('');
}

const byCode = (one: Refusal, other: Refusal) => (one.code < other.code ? -1 : 1);

const byStatus = (one: Refusal, other: Refusal) => one.status - other.status || byCode(one, other);

const rowOf = ({ status, code, texts }: Refusal) => `| ${status} | \`${code}\` | ${texts.en} |`;

function sorted(entries: readonly (readonly [string, object])[]): readonly (readonly [string, object])[] {
  return [...entries].sort(([one], [other]) => (one < other ? -1 : 1));
}

function answerOf(status: number, refusals: readonly Refusal[]): object {
  const codes = refusals.map(({ code }) => code);
  return {
    description: `${statusTexts[status]?.en}: ${codes.map((code) => `\`${code}\``).join(', ')}.`,
    ...headersOf(status),
    content: {
      [PROBLEM_TYPE]: {
        schema: {
          allOf: [
            ref('schemas', 'Problem'),
            { properties: { status: { enum: [status] }, code: { type: 'string', enum: codes } } },
          ],
        },
      },
    },
  };
}

function headersOf(status: number): object {
  if (status === 401 || status === 403) return { headers: header('WWW-Authenticate') };
  return [409, 429, 503].includes(status) ? { headers: header('Retry-After') } : {};
}
