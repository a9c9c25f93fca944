import { dataOf } from '@sallyport/api-client';
import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../service/service.js';
import { useMay } from '../../session/profile.js';

/** The values of the upload policy that a simulation can try. */
export interface TriedPolicy {
  readonly maxSizeMb: number;
  readonly validationEnabled: boolean;
  readonly allowedExtensions: string;
  readonly allowedMimeTypes: string;
}

const PREFIX = 'admin.storage.upload.';

/** Written by the list of files, which comes with the policy. */
export const POLICY_KEY = ['upload-policy'];

/** All parameters of the service. */
const MAX_PARAMETERS = 200;

/** The values in force, for those who may read parameters. For others `data` stays undefined. */
export function usePolicyInForce(isShown: boolean, comesWithList = false) {
  const api = useApi();
  const may = useMay();
  const mayRead = may('api:admin:system-parameters:read');
  const query = useQuery({
    queryKey: POLICY_KEY,
    enabled: mayRead && isShown && !comesWithList,
    queryFn: async ({ signal }): Promise<TriedPolicy> => {
      // By one request, which is one record of the audit log.
      const query = { size: MAX_PARAMETERS };
      const { data } = dataOf(await api.GET('/admin/system-parameters', { params: { query }, signal }));
      const inForce = (tail: string) => data.find(({ key }) => key === PREFIX + tail)?.value;
      return {
        maxSizeMb: Number(inForce('max-size-mb')),
        validationEnabled: inForce('validation.enabled') === true,
        allowedExtensions: String(inForce('allowed-extensions')),
        allowedMimeTypes: String(inForce('allowed-mime-types')),
      };
    },
  });
  return { ...query, mayRead };
}

/** The entries of a list, as the parameters write them. */
export function entriesOf(list: string): string[] {
  return list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}
