import type { RefusalCode } from '../modules/api-docs/refusal-statuses.js';

/** In the order of the page. */
export const tags = {
  'Administrator sign-in': 'Captcha, sign-in, registration, and the limits of failed attempts.',
  Sessions: 'Sessions and single-use tickets.',
  'Own account': 'What administrators see and change of themselves.',
  'Administrators and roles': 'Accounts, and the permissions that roles grant.',
  'App users': 'Sign-in by mobile number, and the app user’s own account.',
  'App user administration': 'What administrators see and change of app users.',
  Payments: 'The business resource that shows a write that takes effect exactly once.',
  'System parameters': 'Policies that change while the server runs.',
  Files: 'Uploads, downloads and previews. Always in the clear: no envelope can carry them.',
  'Audit log': 'Search and export.',
  Notifications: 'How deliveries go.',
  Encryption: 'What a client needs to know before it seals a request.',
  Operations: 'Health and metrics.',
} as const;

export type Tag = keyof typeof tags;

/** An answer whose content no schema of the route describes. */
export interface DescribedAnswer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, object>>;
  /** Schemas by media type. */
  readonly content?: Readonly<Record<string, object>>;
}

/** What people read about a route, and what neither its `config` nor its schema can say. */
export interface OperationText {
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  /** Those of the handler; those that follow from the route's `config` are added. */
  readonly refusals?: readonly RefusalCode[];
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
