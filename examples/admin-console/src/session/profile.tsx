import { type components, dataOf } from '@sallyport/api-client';
import { useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { useApi, useConnection } from '../service/service.js';

export type Profile = components['schemas']['AdministratorProfile'];

/** Where the profile is in the cache. */
export const PROFILE_KEY = ['profile'] as const;

/** The account of the session. */
export function useProfileQuery(isSignedIn: boolean) {
  const api = useApi();
  const { generation } = useConnection();
  return useQuery({
    queryKey: [...PROFILE_KEY, generation],
    queryFn: async ({ signal }) => dataOf(await api.GET('/admin/profile', { signal })).data,
    enabled: isSignedIn,
  });
}

export const ProfileContext = createContext<Profile | null>(null);

/** The signed-in administrator. */
export function useProfile(): Profile {
  const profile = useContext(ProfileContext);
  if (profile === null) throw new Error('useProfile: nobody is signed in');
  return profile;
}

/** Whether the user has a permission. What the user may not do is not offered; the service checks again. */
export function useMay(): (permission: string) => boolean {
  const { permissions } = useProfile();
  return (permission) => permissions.includes(permission);
}
