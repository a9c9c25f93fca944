// The titles name the schemas in an OpenAPI document, for the types of generated clients.

// Schemas of values that the engine checks have no `type`. A coercing validator, such as Fastify's by default, would
// turn null into "" or 0 before it could be refused. The engine checks these values, and reports all faults at once.
const unchecked = (description: string) => ({ description });

const texts = {
  title: 'SystemParameterTexts',
  type: 'object',
  description: 'A text by language: en, and what others the definition has, such as zh-CN.',
  required: ['en'],
  properties: { en: { type: 'string' } },
  additionalProperties: { type: 'string' },
} as const;

const named = (title: string) =>
  ({
    title,
    type: 'object',
    additionalProperties: false,
    required: ['name', 'texts'],
    properties: { name: { type: 'string' }, texts },
  }) as const;
/** A value in an answer. It comes from the service, so a validator can't coerce it. */
const value = (description: string) => ({ type: ['string', 'number', 'boolean'], description });

const parameter = {
  title: 'SystemParameter',
  type: 'object',
  additionalProperties: false,
  required: ['key', 'type', 'value', 'defaultValue', 'isPublic', 'description', 'texts', 'version'],
  properties: {
    key: { type: 'string' },
    type: { type: 'string', enum: ['STRING', 'INTEGER', 'LONG', 'BOOLEAN'] },
    value: value('The value in force.'),
    defaultValue: value('The value in force until somebody changes it.'),
    minimum: { type: ['integer', 'null'] },
    maximum: { type: ['integer', 'null'] },
    maxLength: { type: ['integer', 'null'] },
    values: {
      anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }],
      description: 'The only values that it may have. Null: any value of its type within the bounds.',
    },
    unit: { anyOf: [named('SystemParameterUnit'), { type: 'null' }] },
    group: { anyOf: [named('SystemParameterGroup'), { type: 'null' }] },
    isPublic: { type: 'boolean' },
    description: { type: 'string' },
    texts,
    version: { type: 'integer' },
    updatedBy: { type: ['string', 'null'] },
    updatedAt: { type: ['integer', 'null'], description: 'Milliseconds since the Unix epoch.' },
    fault: { type: ['string', 'null'] },
  },
} as const;

const oneParameter = {
  200: {
    title: 'SystemParameterAnswer',
    type: 'object',
    additionalProperties: false,
    required: ['data'],
    properties: { data: parameter },
  },
} as const;

const keyParams = {
  type: 'object',
  additionalProperties: false,
  required: ['key'],
  properties: { key: { type: 'string', maxLength: 100 } },
} as const;

/** Pages of 1 to 200 items, 20 by default. */
export const listSchema = {
  querystring: {
    type: 'object',
    additionalProperties: false,
    properties: {
      page: { type: 'integer', minimum: 1, maximum: 100_000, default: 1 },
      size: { type: 'integer', minimum: 1, maximum: 200, default: 20 },
    },
  },
  response: {
    200: {
      title: 'SystemParameterList',
      type: 'object',
      additionalProperties: false,
      required: ['data', 'page'],
      properties: {
        data: { type: 'array', items: parameter },
        page: {
          type: 'object',
          additionalProperties: false,
          required: ['number', 'size', 'total'],
          properties: { number: { type: 'integer' }, size: { type: 'integer' }, total: { type: 'integer' } },
        },
      },
    },
  },
} as const;

export const readSchema = { params: keyParams, response: oneParameter } as const;

export const changeSchema = {
  params: keyParams,
  body: {
    title: 'SystemParameterChange',
    type: 'object',
    additionalProperties: false,
    required: ['value', 'version'],
    properties: {
      value: unchecked('The new value: a string, a number or a boolean, or its exact text.'),
      version: unchecked('The version that was read, a whole number.'),
      confirm: unchecked('true makes a change that was refused with PARAMETER_CONFIRMATION_NEEDED. Default false.'),
    },
  },
  response: oneParameter,
} as const;

export const publicSchema = {
  response: {
    200: {
      title: 'PublicSystemParameters',
      type: 'object',
      additionalProperties: false,
      required: ['data'],
      properties: {
        data: {
          type: 'object',
          description: 'Values by key.',
          additionalProperties: { type: ['string', 'number', 'boolean'] },
        },
      },
    },
  },
} as const;
