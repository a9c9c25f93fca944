import { IDEMPOTENCY_KEY } from '../../http/example-values.js';
import type { DescribedAnswer, OperationText } from '../../http/operation-text.js';
import { audiencesOf, type DocumentedRoute, idempotencyOf, permissionsOf, rateLimitOf } from './documented-route.js';
import { parameterTexts } from './parameter-texts.js';
import { refusalAnswers } from './refusal-answers.js';
import { refusalsByConfig } from './route-refusals.js';

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly description?: string;
}

interface Media {
  readonly schema?: object;
}

interface Answer {
  readonly description: string;
  readonly headers?: object;
  readonly content?: Readonly<Record<string, Media>>;
}

/** An operation as @fastify/swagger generates it from a route's schemas. */
export interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Answer>>;
}

const JSON_TYPE = 'application/json';

const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });

const orSealed = (schema: object | undefined, sealed: string) => ({
  anyOf: [schema ?? {}, ref('schemas', sealed)],
});

/** Adds what the schemas don't say: access, refusals and encryption. */
export function completeOperation(operation: Operation, route: DocumentedRoute, text: OperationText): object {
  const permissions = permissionsOf(route);
  const requestBody = requestBodyOf(operation, route, text);
  return {
    tags: [text.tag],
    summary: text.summary,
    description: describe(route, text),
    operationId: route.handlerName,
    security: securityOf(route, text),
    ...(permissions.length > 0 && { 'x-permission': permissions }),
    parameters: [...(operation.parameters ?? []).map(describeParameter), ...headerParameters(route, text)],
    ...(requestBody !== undefined && { requestBody }),
    responses: responsesOf(operation, route, text),
  };
}

function describe(route: DocumentedRoute, { description, tokenIsOptional }: OperationText): string {
  const audiences = audiencesOf(route);
  const limit = rateLimitOf(route);
  const seconds = Number(limit?.timeWindow ?? 0) / 1000;
  const permissions = permissionsOf(route).map((code) => `\`${code}\``);
  const names = { admin: 'administrators', app: 'app users' } as Readonly<Record<string, string>>;
  const access = audiences.length === 0 ? 'everybody' : audiences.map((each) => names[each] ?? each).join(' and ');
  return [
    ...(description === undefined ? [] : [description]),
    `For ${access}${permissions.length === 0 ? '' : `, with ${permissions.join(' and ')}`}${tokenIsOptional ? '; a token is optional' : ''}.`,
    ...(limit ? [`At most ${limit.max} requests in ${seconds} s.`] : []),
    ...(route.isInTheClear ? ['Unencrypted in every encryption mode.'] : []),
  ].join('\n\n');
}

function securityOf(route: DocumentedRoute, { tokenIsOptional }: OperationText): object[] {
  const bearer = { bearer: [] };
  if (tokenIsOptional) return [{}, bearer];
  if (audiencesOf(route).length === 0) return [];
  return route.config.queryToken === true ? [bearer, { queryToken: [] }] : [bearer];
}

function describeParameter(parameter: Parameter): Parameter {
  const description = parameter.description ?? parameterTexts[parameter.name];
  return { ...parameter, ...(description !== undefined && { description }) };
}

function headerParameters(route: DocumentedRoute, { headers = {} }: OperationText): object[] {
  const idempotency = idempotencyOf(route);
  return [
    ...(idempotency === null ? [] : [idempotencyKey(idempotency === 'required')]),
    ...Object.entries(headers).map(([name, parameter]) => ({ in: 'header', name, ...parameter })),
    ref('parameters', 'Accept-Language'),
    ...(route.isInTheClear ? [] : [ref('parameters', 'Api-Encryption'), ref('parameters', '__enc')]),
  ];
}

function idempotencyKey(required: boolean): object {
  return {
    in: 'header',
    name: 'Idempotency-Key',
    required,
    schema: { type: 'string', format: 'uuid' },
    description: 'Identifies the write: the same key for every retry, a new key for other content.',
    example: IDEMPOTENCY_KEY,
  };
}

function requestBodyOf({ requestBody }: Operation, route: DocumentedRoute, text: OperationText): object | undefined {
  if (requestBody === undefined) return text.requestBody;
  const schema = requestBody.content[JSON_TYPE]?.schema;
  const media = {
    schema: route.isInTheClear ? schema : orSealed(schema, 'Envelope'),
    ...(text.request !== undefined && { example: text.request }),
  };
  return { ...requestBody, content: { [JSON_TYPE]: media } };
}

const descriptions: Readonly<Record<string, string>> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted.',
  204: 'Done, without content.',
  503: 'DOWN.',
};

function responsesOf({ responses }: Operation, route: DocumentedRoute, text: OperationText): object {
  const described: Readonly<Record<string, DescribedAnswer | Answer>> = text.answers ?? responses;
  const answers = Object.entries(described).map(([status, answer]) => [status, successOf(status, answer, route, text)]);
  const refusals = refusalAnswers([...refusalsByConfig(route), ...(text.refusals ?? [])], !route.isInTheClear);
  return { ...refusals, ...Object.fromEntries(answers) };
}

function successOf(
  status: string,
  answer: Answer,
  route: DocumentedRoute,
  { response, answers }: OperationText,
): object {
  const media = answer.content?.[JSON_TYPE];
  const isSealable = media !== undefined && !route.isInTheClear;
  return {
    description: answers === undefined ? (descriptions[status] ?? answer.description) : answer.description,
    headers: {
      'X-Request-Id': ref('headers', 'X-Request-Id'),
      ...(isSealable && { 'Api-Encryption': ref('headers', 'Api-Encryption') }),
      ...answer.headers,
    },
    ...(answer.content !== undefined && {
      content: {
        ...answer.content,
        ...(media !== undefined && {
          [JSON_TYPE]: {
            schema: isSealable ? orSealed(media.schema, 'SealedAnswer') : media.schema,
            ...(response !== undefined && Number(status) < 300 && { example: response }),
          },
        }),
      },
    }),
  };
}
