import axios, { type InternalAxiosRequestConfig } from 'axios';

/** The options of axios that end the wait of a request. */
export interface Cancellation {
  readonly signal: AbortSignal;
  /** Call it when the request has ended. */
  release(): void;
}

/** Joins `signal`, `cancelToken` and `timeout`. The signal's reason is the error that axios would throw. */
export function createCancellation(config: InternalAxiosRequestConfig): Cancellation {
  const { signal, cancelToken, timeout = 0, transitional } = config;
  const controller = new AbortController();
  const cancel = (message?: string) => controller.abort(new axios.CanceledError(message, config));
  const onAbort = () => cancel();
  if (signal?.aborted) cancel();
  signal?.addEventListener?.('abort', onAbort);
  void cancelToken?.promise.then(({ message }) => cancel(message));

  const { ETIMEDOUT, ECONNABORTED } = axios.AxiosError;
  const expire = () => {
    const message = config.timeoutErrorMessage ?? `timeout of ${timeout}ms exceeded`;
    const code = transitional?.clarifyTimeoutError ? ETIMEDOUT : ECONNABORTED;
    controller.abort(new axios.AxiosError(message, code, config));
  };
  const timer = timeout > 0 ? setTimeout(expire, timeout) : undefined;
  return {
    signal: controller.signal,
    release() {
      clearTimeout(timer);
      signal?.removeEventListener?.('abort', onAbort);
    },
  };
}
