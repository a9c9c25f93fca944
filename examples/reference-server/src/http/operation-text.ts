import type { RefusalClass } from './refusal.js';

/** An answer whose content no schema of the route describes. */
export interface DescribedAnswer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, object>>;
  /** Schemas by media type. */
  readonly content?: Readonly<Record<string, object>>;
}

/** What people read about a route, and what neither its `config` nor its schema can say. */
export interface OperationText {
  /** One of the tags that the modules declare. */
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Those of the handler; those that follow from the route's `config` are added. */
  readonly refusals?: readonly RefusalClass[];
  /** Also callable without a token, for less of an answer. */
  readonly tokenIsOptional?: true;
  /** Header parameters of its own, by name. */
  readonly headers?: Readonly<Record<string, object>>;
  /** The body, where the route reads it without a schema. */
  readonly requestBody?: object;
  /** By status. */
  readonly answers?: Readonly<Record<string, DescribedAnswer>>;
  /** A body that the route takes. */
  readonly request?: unknown;
  /** The answer of a success. */
  readonly response?: unknown;
}

/** By method and path: `GET /admin/roles/:id`. */
export type OperationTexts = Readonly<Record<string, OperationText>>;
