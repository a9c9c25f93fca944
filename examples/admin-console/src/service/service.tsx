import type { ApiClient } from '@sallyport/api-client';
import { createContext, type ReactNode, useContext, useSyncExternalStore } from 'react';
import type { Connection, PendingSignIn, SessionState } from './connection.js';
import type { ProofReason } from './proof-gate.js';

const ConnectionContext = createContext<Connection | null>(null);

export function ServiceProvider({
  connection,
  children,
}: {
  readonly connection: Connection;
  readonly children: ReactNode;
}) {
  return <ConnectionContext value={connection}>{children}</ConnectionContext>;
}

export function useConnection(): Connection {
  const connection = useContext(ConnectionContext);
  if (connection === null) throw new Error('useConnection: no ServiceProvider above');
  return connection;
}

/** Whether there is a session. The component is rendered again when that changes. */
export function useSessionState(): SessionState {
  const connection = useConnection();
  return useSyncExternalStore(connection.subscribe, () => connection.session);
}

/** Whether the service has not confirmed the last sign-out. */
export function useOpenSignOut(): boolean {
  const connection = useConnection();
  return useSyncExternalStore(connection.subscribe, () => connection.isSignOutOpen);
}

/** Whether the service serves nothing until the user changes the password. */
export function usePasswordDue(): boolean {
  const connection = useConnection();
  return useSyncExternalStore(connection.subscribe, () => connection.isPasswordDue);
}

/** The sign-in that needs a second step. Null: none. */
export function usePendingSignIn(): PendingSignIn | null {
  const connection = useConnection();
  return useSyncExternalStore(connection.subscribe, () => connection.pending);
}

/** Why the user has to confirm a request. Null: nothing is asked. */
export function useAskedProof(): ProofReason | null {
  const connection = useConnection();
  return useSyncExternalStore(connection.subscribe, () => connection.proofs.asked);
}

/** Every operation of the service, typed by its OpenAPI document. */
export function useApi(): ApiClient['api'] {
  return useConnection().client.api;
}
