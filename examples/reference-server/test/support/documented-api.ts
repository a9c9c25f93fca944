import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { LightMyRequestResponse } from 'fastify';

const PROBLEM = 'application/problem+json';

interface Media {
  readonly schema?: object;
  readonly example?: unknown;
}
interface Content {
  readonly content?: Readonly<Record<string, Media>>;
}
interface Reference {
  readonly $ref: string;
}
interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly schema?: { readonly default?: unknown };
}
/** The answer with the codes of one status. */
interface Refused {
  readonly content: {
    readonly [PROBLEM]: {
      readonly schema: { readonly allOf: readonly [object, { readonly properties: { code: { enum: string[] } } }] };
    };
  };
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly object[];
  readonly 'x-permission'?: readonly string[];
  readonly parameters: readonly (Parameter | Reference)[];
  readonly requestBody?: Content & { readonly required?: boolean };
  readonly responses: Readonly<Record<string, Content | Reference>>;
}

export interface ApiDocument {
  readonly openapi: string;
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, Content>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly schemas: Readonly<Record<string, object>>;
  };
}

/** An operation with its place: its method in capitals, its path in the router's syntax. */
export interface PlacedOperation extends Operation {
  readonly method: string;
  readonly url: string;
}

/** The document, as tests ask about it. */
export function documentedApi(document: ApiDocument) {
  const { components } = document;
  const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false });
  ajv.addSchema({ components }, 'document');
  const checks = new Map<string, ValidateFunction>();

  const nameIn = (reference: Reference) => reference.$ref.split('/').at(-1)!;

  /** Why a value does not match a schema, or null. There is one validator for each schema. */
  function faultsOf(schema: object, value: unknown): unknown {
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/');
    const check = checks.get(text) ?? ajv.compile(JSON.parse(text));
    checks.set(text, check);
    return check(value) ? null : check.errors;
  }

  const operations: readonly PlacedOperation[] = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    })),
  );

  const operationOf = (method: string, url: string) =>
    operations.find((each) => each.method === method.toUpperCase() && each.url === url);

  function answerOf({ responses }: Operation, status: number): Content | undefined {
    const answer = responses[status];
    return answer !== undefined && '$ref' in answer ? components.responses[nameIn(answer)] : answer;
  }

  function codesOf(operation: Operation, status: number): readonly string[] {
    const answer = answerOf(operation, status);
    if (answer?.content?.[PROBLEM] === undefined) return [];
    return (answer as Refused).content[PROBLEM].schema.allOf[1].properties.code.enum;
  }

  const parametersOf = ({ parameters }: Operation): readonly Parameter[] =>
    parameters.map((each) => ('$ref' in each ? components.parameters[nameIn(each)]! : each));

  /** How an answer differs from the document, or null. */
  function disagreement(method: string, url: string, response: Answer): unknown {
    const operation = operationOf(method, url);
    const answer = operation && answerOf(operation, response.statusCode);
    if (answer === undefined) return `${response.statusCode} is not documented`;
    if (response.body === '') return answer.content === undefined ? null : 'a body is documented';
    const type = String(response.headers['content-type']).split(';')[0] ?? '';
    const media = answer.content?.[type] ?? answer.content?.['*/*'];
    if (media === undefined) return `${type} is not documented`;
    return type.endsWith('json') ? faultsOf(media.schema ?? {}, JSON.parse(response.body)) : null;
  }

  return { document, operations, operationOf, answerOf, codesOf, parametersOf, faultsOf, disagreement };
}

type Answer = Pick<LightMyRequestResponse, 'statusCode' | 'body' | 'headers'>;
