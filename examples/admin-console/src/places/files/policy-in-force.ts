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

/** The values in force, for those who may read parameters. For others `data` stays undefined. */
export function usePolicyInForce(isShown: boolean) {
  const api = useApi();
  const may = useMay();
  const mayRead = may('api:admin:system-parameters:read');
  const query = useQuery({
    queryKey: ['upload-policy'],
    enabled: mayRead && isShown,
    queryFn: async ({ signal }): Promise<TriedPolicy> => {
      async function read(tail: string) {
        const path = { key: PREFIX + tail };
        return dataOf(await api.GET('/admin/system-parameters/{key}', { params: { path }, signal })).data.value;
      }
      const [size, validation, extensions, types] = await Promise.all([
        read('max-size-mb'),
        read('validation.enabled'),
        read('allowed-extensions'),
        read('allowed-mime-types'),
      ]);
      return {
        maxSizeMb: Number(size),
        validationEnabled: validation === true,
        allowedExtensions: String(extensions),
        allowedMimeTypes: String(types),
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
