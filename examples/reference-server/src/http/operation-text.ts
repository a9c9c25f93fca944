import type { RefusalClass } from './refusal.js';

/** An answer whose content no route schema describes. */
export interface DescribedAnswer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, object>>;
  /** Schemas by media type. */
  readonly content?: Readonly<Record<string, object>>;
}

/** The documentation of a route that neither its `config` nor its schema contains. */
export interface OperationText {
  /** A tag that a module declares. */
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** The refusals of the handler. Those that follow from the route's `config` are added. */
  readonly refusals?: readonly RefusalClass[];
  /** The route also accepts requests without a token and then returns less. */
  readonly tokenIsOptional?: true;
  /** Additional header parameters, by name. */
  readonly headers?: Readonly<Record<string, object>>;
  /** The body, if the route reads it without a schema. */
  readonly requestBody?: {
    readonly required: boolean;
    /** Schemas by media type. */
    readonly content: Readonly<Record<string, { readonly schema: Readonly<Record<string, unknown>> }>>;
  };
  /** The answers, by status. */
  readonly answers?: Readonly<Record<string, DescribedAnswer>>;
  /** An example request body. */
  readonly request?: unknown;
  /** An example of a successful answer. */
  readonly response?: unknown;
}

/** The texts, by method and path: `GET /admin/roles/:id`. */
export type OperationTexts = Readonly<Record<string, OperationText>>;
