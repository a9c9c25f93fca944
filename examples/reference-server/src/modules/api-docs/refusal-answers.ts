import { REQUEST_ID } from '../../http/example-values.js';
import { statusTexts } from '../../http/language.js';
import { type Refusal, type RefusalClass, refusalOf } from '../../http/refusal.js';

const header = (name: string) => ({ [name]: { $ref: `#/components/headers/${name}` } });

/** Groups refusals by status, with every code and an example of each. */
export function refusalAnswers(classes: readonly RefusalClass[], isSealable: boolean): Record<string, object> {
  const refusals = [...new Set(classes.map(refusalOf))].sort((one, other) => (one.code < other.code ? -1 : 1));
  const byStatus = new Map<number, Refusal[]>();
  for (const refusal of refusals) byStatus.set(refusal.status, [...(byStatus.get(refusal.status) ?? []), refusal]);
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => [String(status), refusalAnswer(status, ofStatus, isSealable)]),
  );
}

function refusalAnswer(status: number, refusals: readonly Refusal[], isSealable: boolean): object {
  const code = { type: 'string', enum: refusals.map(({ code }) => code) };
  return {
    description: refusals.map(({ code, texts }) => `\`${code}\`: ${texts.en}`).join('\n\n'),
    headers: {
      ...header('X-Request-Id'),
      ...(status === 401 || status === 403 ? header('WWW-Authenticate') : {}),
      ...([409, 429, 503].includes(status) ? header('Retry-After') : {}),
    },
    content: {
      'application/problem+json': {
        schema: { allOf: [{ $ref: '#/components/schemas/Problem' }, { type: 'object', properties: { code } }] },
        examples: Object.fromEntries(refusals.map((refusal) => [refusal.code, { value: exampleOf(refusal) }])),
      },
      ...(isSealable && { 'application/json': { schema: { $ref: '#/components/schemas/SealedAnswer' } } }),
    },
  };
}

function exampleOf({ code, status, texts, example }: Refusal): object {
  return {
    type: 'about:blank',
    title: statusTexts[status]?.en ?? '',
    status,
    detail: texts.en,
    code,
    requestId: REQUEST_ID,
    ...example,
  };
}
