import { IDEMPOTENCY_KEY } from '../../http/example-values.js';
import type { DescribedAnswer, OperationText } from '../../http/operation-text.js';
import { audiencesOf, type DocumentedRoute, idempotencyOf, permissionsOf, rateLimitOf } from './documented-route.js';
import type { Direction, NamedSchemas, Schema } from './named-schemas.js';
import { parameterTexts } from './parameter-texts.js';
import type { RefusalAnswers } from './refusal-answers.js';
import { refusalsByConfig } from './route-refusals.js';
import type { Parameter } from './shared-parameters.js';

interface SchemaParameter {
  readonly in: string;
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

interface Media {
  readonly schema?: Schema;
}

type Content = Readonly<Record<string, Media>>;

interface Answer {
  readonly description: string;
  readonly headers?: object;
  readonly content?: Content;
}

interface RequestBody {
  readonly required?: boolean;
  readonly content: Content;
}

/** An operation as @fastify/swagger generates it from a route's schemas. */
export interface Operation {
  readonly parameters?: readonly SchemaParameter[];
  readonly requestBody?: RequestBody;
  readonly responses: Readonly<Record<string, Answer>>;
}

/** An operation of the document. Its other members are what OpenAPI says. */
export interface CompletedOperation {
  readonly parameters: readonly Parameter[];
  readonly [member: string]: unknown;
}

/** Collects the components of all operations. */
export interface Shared {
  readonly schemas: NamedSchemas;
  readonly refusals: RefusalAnswers;
}

const JSON_TYPE = 'application/json';

const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });

/**
 * Adds what the schemas don't say: access, refusals and encryption.
 *
 * @throws {TypeError} if a body or an answer in JSON has no name
 */
export function completeOperation(
  operation: Operation,
  route: DocumentedRoute,
  text: OperationText,
  shared: Shared,
): CompletedOperation {
  const permissions = permissionsOf(route);
  const requestBody = requestBodyOf(operation, route, text, shared.schemas);
  return {
    tags: [text.tag],
    summary: text.summary,
    description: describe(route, text),
    operationId: route.handlerName,
    security: securityOf(route, text),
    ...(permissions.length > 0 && { 'x-permission': permissions }),
    parameters: [
      ...(operation.parameters ?? []).map((each) => completeParameter(each, route, shared.schemas)),
      ...headerParameters(route, text),
    ],
    ...(requestBody !== undefined && { requestBody }),
    responses: responsesOf(operation, route, text, shared),
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

function completeParameter(parameter: SchemaParameter, route: DocumentedRoute, schemas: NamedSchemas): SchemaParameter {
  const { name, schema = {}, required = false } = parameter;
  const description = parameter.description ?? parameterTexts[name];
  return {
    ...parameter,
    // The validator fills in a default.
    required: required && schema.default === undefined,
    schema: schemas.refer(schema, 'request', `${nameOf(route)}, parameter ${name}`),
    ...(description !== undefined && { description }),
  };
}

function headerParameters(route: DocumentedRoute, { headers = {} }: OperationText): Parameter[] {
  const idempotency = idempotencyOf(route);
  return [
    ...(idempotency === null ? [] : [idempotencyKey(idempotency === 'required')]),
    ...Object.entries(headers).map(([name, parameter]) => ({ in: 'header', name, ...parameter })),
    ref('parameters', 'Accept-Language'),
    ...(route.isInTheClear ? [] : [ref('parameters', 'Api-Encryption')]),
  ];
}

function idempotencyKey(required: boolean): Parameter {
  const header = {
    in: 'header',
    name: 'Idempotency-Key',
    required,
    schema: { type: 'string', format: 'uuid' },
    description: 'Identifies the write: the same key for every retry, a new key for other content.',
    example: IDEMPOTENCY_KEY,
  };
  return header;
}

function requestBodyOf(
  { requestBody }: Operation,
  route: DocumentedRoute,
  text: OperationText,
  schemas: NamedSchemas,
): object | undefined {
  const where = `${nameOf(route)}, body`;
  const described = text.requestBody;
  if (described !== undefined) return { ...described, content: referred(described.content, 'request', where, schemas) };
  if (requestBody === undefined) return undefined;
  const { isRequired, schema } = withoutNull(requestBody.content[JSON_TYPE]?.schema ?? {});
  const content = referred({ [JSON_TYPE]: { schema } }, 'request', where, schemas);
  const example = text.request !== undefined && { example: text.request };
  return { required: isRequired, content: { [JSON_TYPE]: { ...content[JSON_TYPE], ...example } } };
}

/** A validator sees a missing body as null: a schema that accepts null is that of an optional body. */
function withoutNull(schema: Schema): { readonly isRequired: boolean; readonly schema: Schema } {
  const alternatives = (schema.anyOf ?? []) as readonly Schema[];
  const [only, ...others] = alternatives.filter(({ type }) => type !== 'null');
  const isOptional = only !== undefined && others.length === 0 && alternatives.length === 2;
  return isOptional ? { isRequired: false, schema: only } : { isRequired: true, schema };
}

/** JSON bodies and answers are references to named schemas, so that each client has a type for them. */
function referred(content: Content, direction: Direction, where: string, schemas: NamedSchemas): Content {
  const entries = Object.entries(content).map(([type, media]) => {
    const schema = schemas.refer(media.schema ?? {}, direction, where);
    if (type === JSON_TYPE && schema.$ref === undefined) throw new TypeError(`${where}: the schema has no title`);
    return [type, { ...media, schema }];
  });
  return Object.fromEntries(entries);
}

const descriptions: Readonly<Record<string, string>> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted.',
  204: 'Done, without content.',
  503: 'DOWN.',
};

function responsesOf(operation: Operation, route: DocumentedRoute, text: OperationText, shared: Shared): object {
  const described: Readonly<Record<string, DescribedAnswer | Answer>> = text.answers ?? operation.responses;
  const answers = Object.entries(described).map(([status, answer]) => [
    status,
    successOf(status, answer as Answer, route, text, shared.schemas),
  ]);
  const refusals = shared.refusals.answersOf([...refusalsByConfig(route), ...(text.refusals ?? [])]);
  return { ...refusals, ...Object.fromEntries(answers) };
}

function successOf(
  status: string,
  answer: Answer,
  route: DocumentedRoute,
  { response, answers }: OperationText,
  schemas: NamedSchemas,
): object {
  const { description, headers, content } = answer;
  return {
    description: answers === undefined ? (descriptions[status] ?? description) : description,
    ...(headers !== undefined && { headers }),
    ...(content !== undefined && {
      content: withExample(
        referred(content, 'answer', `${nameOf(route)}, answer ${status}`, schemas),
        Number(status) < 300 ? response : undefined,
      ),
    }),
  };
}

function withExample(content: Content, example: unknown): object {
  const media = content[JSON_TYPE];
  return media === undefined || example === undefined ? content : { ...content, [JSON_TYPE]: { ...media, example } };
}

const nameOf = ({ method, url }: DocumentedRoute) => `${method} ${url}`;
