/** An opened answer. */
export interface ResponseContent {
  readonly status: number;
  readonly statusText: string;
  readonly url: string;
  /** Names in lower case, and values. A name may occur twice. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly bytes: Uint8Array;
}

/** Makes a response of an opened answer. */
export type CreateResponse = (content: ResponseContent) => Response;

/** Makes an object of the global class `Response`. */
export const createNativeResponse: CreateResponse = ({ bytes, url, headers, status, statusText }) => {
  const init = { status, statusText, headers: headers as [string, string][] };
  const response = new Response(bytes as Uint8Array<ArrayBuffer>, init);
  return Object.defineProperty(response, 'url', { value: url });
};
