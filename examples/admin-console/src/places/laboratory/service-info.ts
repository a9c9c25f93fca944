import { type ApiClient, dataOf } from '@sallyport/api-client';
import { useQuery } from '@tanstack/react-query';
import { useConnection } from '../../service/service.js';
import type { ServiceClock } from './protocol/delivery.js';
import type { SealingKey } from './protocol/envelope.js';

/** What the laboratory knows of the service. */
export interface ServiceInfo {
  readonly mode: 'OFF' | 'OPTIONAL' | 'REQUIRED';
  /** Null in mode OFF. */
  readonly key: SealingKey | null;
  readonly clock: ServiceClock;
}

async function readServiceInfo({ api, encryption }: ApiClient): Promise<ServiceInfo> {
  // The client of the page refuses a service that has sealed before and now says OFF.
  const { mode } = await encryption.bootstrap();
  // Read anew: the key may have changed, and its time is of this moment.
  const { data } = dataOf(await api.GET('/encryption/public-key'));
  const { keyId, publicKey, maxPayloadBytes, maxQueryBytes } = data;
  const clock = { aheadMillis: data.serverTime - Date.now(), windowSeconds: data.timestampWindowSeconds };
  if (mode === 'OFF') return { mode, key: null, clock };
  // Nothing is sent in the clear because a key is missing.
  if (keyId === undefined || publicKey === undefined) throw new Error('the service names no key');
  return { mode, clock, key: { keyId, publicKey, maxPayloadBytes, maxQueryBytes } };
}

export function useServiceInfo() {
  const { client } = useConnection();
  return useQuery({ queryKey: ['laboratory', 'service'], queryFn: () => readServiceInfo(client) });
}
