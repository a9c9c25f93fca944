/** A statement of postgres.js. `state` has what PostgreSQL, or a pooler in its place, sent at the startup. */
interface PidQuery extends PromiseLike<readonly { readonly pid: number }[]> {
  readonly state?: { readonly pid?: number | null } | null;
}

/** The part of postgres.js that is used here. */
export interface PostgresJsClient {
  readonly options: {
    readonly max?: unknown;
    readonly prepare?: unknown;
    readonly max_pipeline?: unknown;
    /** Parameters of the startup. */
    readonly connection?: unknown;
  };
  unsafe(statement: string): PidQuery;
  reserve(): PromiseLike<Pick<PostgresJsClient, 'unsafe'> & { release(): void }>;
}

const PID = 'select pg_backend_pid() as pid';

/**
 * The reserved connection (0) and the others. The order detects a pooler that assigns its backends in turn, and one
 * that always assigns the last one.
 */
const ORDER = [0, 1, 1, 0, 0, 1, 0, 1, 1] as const;

/** The time limit for the other connections. A caller that waits for the answer may hold all of them. */
const OTHERS_WITHIN_MILLIS = 300;

/**
 * Whether connections of this client share the sessions of PostgreSQL, as behind a pooler in transaction mode. Without
 * a pooler it asks for one process id only. A pooler reports another one at the startup than that of the session.
 * `undecided`: the other connections were busy.
 */
export async function findSharing(client: PostgresJsClient): Promise<'own' | 'shared' | 'undecided'> {
  const first = client.unsafe(PID);
  const [row] = await first;
  const named = first.state?.pid;
  if (named === undefined || named === null || named === row?.pid) return 'own';

  const hasOthers = Number(client.options.max) > 1;
  const reserved = await client.reserve();
  try {
    const own = new Set<number>();
    const others = new Set<number>();
    for (const place of hasOthers ? ORDER : [0, 0, 0]) {
      const answer = place === 0 ? await reserved.unsafe(PID) : await inTime(client.unsafe(PID));
      if (answer === null) return 'undecided';
      (place === 0 ? own : others).add(answer[0]?.pid ?? 0);
      if (own.size > 1 || [...own].some((pid) => others.has(pid))) return 'shared';
    }
    return 'own';
  } finally {
    reserved.release();
  }
}

async function inTime<Answer>(query: PromiseLike<Answer>): Promise<Answer | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, OTHERS_WITHIN_MILLIS, null);
  });
  try {
    return await Promise.race([query, late]);
  } finally {
    clearTimeout(timer);
  }
}
