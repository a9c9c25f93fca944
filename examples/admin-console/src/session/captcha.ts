import { type components, dataOf, RefusedError } from '@sallyport/api-client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useApi } from '../service/service.js';

type Captcha = components['schemas']['Captcha'];
export type CaptchaKind = components['schemas']['CaptchaKind'];

/** The members of a request that answer a captcha. None: no captcha is asked for. */
export interface CaptchaAnswer {
  readonly key?: string;
  readonly code?: string;
  readonly proof?: string;
}

/** What a captcha is for, and where it comes from. */
export type CaptchaSource =
  | { readonly audience: 'admin'; readonly purpose: 'login' | 'register' }
  | { readonly audience: 'app'; readonly purpose: 'sms' | 'login' | 'recover' };

/** A captcha that a form shows. */
export interface CaptchaState {
  readonly captcha: Captcha | null;
  readonly isLoading: boolean;
  readonly error: Error | null;
  readonly kind: CaptchaKind | undefined;
  chooseKind(kind: CaptchaKind): void;
  /** The text that the user reads in the picture. */
  readonly code: string;
  setCode(code: string): void;
  /** How much of the proof of work is done, from 0 to 1. */
  readonly progress: number;
  /** Waits for the proof of work, if one is asked for. */
  answer(): Promise<CaptchaAnswer>;
  /** Gets another captcha. Each counts for one attempt, right or wrong. */
  renew(): void;
  /** Shows one from now on: the service has answered `CAPTCHA_REQUIRED`. */
  demand(): void;
}

export interface CaptchaOptions {
  /** None is fetched before `demand`. Default false. */
  readonly isOnDemand?: boolean;
}

/** Proofs begin as soon as the captcha is shown, so that they are ready when the form is. */
export function useCaptcha(source: CaptchaSource, { isOnDemand = false }: CaptchaOptions = {}): CaptchaState {
  const api = useApi();
  const [chosen, chooseKind] = useState<CaptchaKind>();
  const [round, setRound] = useState(0);
  const [isDemanded, setIsDemanded] = useState(false);
  const [code, setCode] = useState('');
  const [progress, setProgress] = useState(0);
  const proof = useRef<Promise<string> | null>(null);
  const { audience, purpose } = source;
  const query = useQuery({
    queryKey: ['captcha', audience, purpose, chosen, round],
    queryFn: async ({ signal }) => {
      const fetchKind = async (kind: { readonly kind?: CaptchaKind }) => {
        const answer =
          source.audience === 'admin'
            ? await api.GET('/admin/auth/captcha', { params: { query: { for: source.purpose, ...kind } }, signal })
            : await api.GET('/app/auth/captcha', { params: { query: { for: source.purpose, ...kind } }, signal });
        return dataOf(answer).data;
      };
      if (chosen !== undefined) return fetchKind({ kind: chosen });
      try {
        // A proof of work asks nothing of the person.
        return await fetchKind({ kind: 'proof-of-work' });
      } catch (error) {
        if (error instanceof RefusedError && error.code === 'CAPTCHA_KIND_REFUSED') return fetchKind({});
        throw error;
      }
    },
    gcTime: 0,
    refetchOnMount: false,
    // The field keeps its place, and the focus, until the next one is there.
    placeholderData: keepPreviousData,
    enabled: isDemanded || !isOnDemand,
  });
  const { data } = query;
  const captcha = useMemo(
    () => (data === undefined ? null : { ...data, enabled: data.enabled || isDemanded }),
    [data, isDemanded],
  );

  // It expires while the page is open.
  useEffect(() => {
    if (captcha?.enabled !== true || captcha.expiresInSeconds === undefined) return;
    const timer = setTimeout(() => setRound((last) => last + 1), captcha.expiresInSeconds * 1000);
    return () => clearTimeout(timer);
  }, [captcha]);

  useEffect(() => {
    setCode('');
    setProgress(0);
    const { enabled = false, key, challenge } = captcha ?? {};
    if (!enabled || key === undefined || challenge === undefined) {
      proof.current = null;
      return;
    }
    const controller = new AbortController();
    proof.current = import('@sallyport/captcha/client').then(({ solve }) =>
      solve(
        { key, challenge },
        { signal: controller.signal, onProgress: ({ solved, puzzles }) => setProgress(solved / puzzles) },
      ),
    );
    // The form waits for it later; until then, a failure is nobody's.
    proof.current.then(
      () => setProgress(1),
      () => {},
    );
    return () => controller.abort();
  }, [captcha]);

  return useMemo(
    () => ({
      captcha,
      isLoading: query.isLoading,
      error: query.error,
      kind: captcha?.kind,
      chooseKind,
      code,
      setCode,
      progress,
      async answer() {
        if (captcha?.enabled !== true || captcha.key === undefined) return {};
        const { key, kind } = captcha;
        const text = kind === 'image' || kind === 'both' ? { code } : {};
        return { key, ...text, ...(proof.current !== null && { proof: await proof.current }) };
      },
      renew: () => setRound((last) => last + 1),
      demand() {
        setIsDemanded(true);
        setRound((last) => last + 1);
      },
    }),
    [captcha, query.isLoading, query.error, code, progress],
  );
}
