import { startDeadline } from '@sallyport/plugin-kit/deadlines';

/** The state of one component. */
export interface ComponentState {
  readonly status: 'UP' | 'DOWN';
  /** Details for holders of the permission. They never contain a secret, an address or a client's name. */
  readonly details?: Readonly<Record<string, string | number | boolean | null>>;
}

/** A part of the service that can fail separately. */
export interface HealthComponent {
  /**
   * Whether the service depends on it. An essential component that is DOWN makes the whole service DOWN, and a proxy
   * should send requests to other nodes. Components that only some operations need, or that recover when they are used,
   * are not essential.
   */
  readonly isEssential: boolean;
  /** Rejects, or yields DOWN, if the component is unavailable. A check that exceeds the limit counts as DOWN. */
  check(): ComponentState | Promise<ComponentState>;
}

export interface HealthFinding {
  /** DOWN if an essential component is DOWN. */
  readonly status: 'UP' | 'DOWN';
  readonly components: Readonly<Record<string, ComponentState>>;
}

export interface HealthOptions {
  /** Timeout of a check, in milliseconds. Monitors have short timeouts of their own. Default 1000. */
  readonly limitMillis?: number;
  /**
   * How long a result is cached, in milliseconds, so that frequent health checks don't load the stores. Default 1000.
   * In the second half of this time a request starts a new check and does not wait for it.
   */
  readonly findingMillis?: number;
  /** Milliseconds since the Unix epoch. */
  readonly now?: () => number;
  /** Called when the status of a component changes. */
  readonly onChange?: (name: string, status: ComponentState['status']) => void;
}

export interface Health {
  /** Adds a component under a unique name. */
  register(name: string, component: HealthComponent): void;
  /** The health of all components, at most `findingMillis` old. Never rejects. */
  read(): Promise<HealthFinding>;
}

const AWAY: ComponentState = { status: 'DOWN' };

/** The registry of components (OPS-1). */
export function createHealth({
  limitMillis = 1000,
  findingMillis = 1000,
  now = Date.now,
  onChange = () => {},
}: HealthOptions = {}): Health {
  const components = new Map<string, HealthComponent>();
  const underWay = new Map<string, Promise<ComponentState>>();
  const lastStatus = new Map<string, ComponentState['status']>();
  let finding: { readonly result: Promise<HealthFinding>; readonly askedAt: number } | null = null;
  let isLooking = false;

  /** Runs one check at a time for each component, so that hanging checks do not pile up. */
  function stateOf(name: string, component: HealthComponent): Promise<ComponentState> {
    let check = underWay.get(name);
    if (check === undefined) {
      check = Promise.resolve()
        .then(() => component.check())
        .catch(() => AWAY)
        .finally(() => underWay.delete(name));
      underWay.set(name, check);
    }
    return check;
  }

  async function find(): Promise<HealthFinding> {
    let cancel = () => {};
    const limit = new Promise<ComponentState>((resolve) => {
      cancel = startDeadline(limitMillis, () => resolve(AWAY));
    });
    const states = await Promise.all(
      [...components].map(
        async ([name, component]) => [name, await Promise.race([stateOf(name, component), limit])] as const,
      ),
    );
    cancel();
    for (const [name, { status }] of states) {
      if (status !== (lastStatus.get(name) ?? 'UP')) onChange(name, status);
      lastStatus.set(name, status);
    }
    const isDown = states.some(([name, { status }]) => status === 'DOWN' && components.get(name)?.isEssential);
    return { status: isDown ? 'DOWN' : 'UP', components: Object.fromEntries(states) };
  }

  async function look(): Promise<HealthFinding> {
    isLooking = true;
    try {
      return await find();
    } finally {
      isLooking = false;
    }
  }

  return {
    register(name, component) {
      if (components.has(name)) throw new TypeError(`the health component ${name} is there already`);
      components.set(name, component);
    },
    read() {
      const time = now();
      const age = finding === null ? Number.POSITIVE_INFINITY : time - finding.askedAt;
      // A clock that is set back must not keep a result forever.
      if (finding === null || age >= findingMillis || age < 0) finding = { result: look(), askedAt: time };
      else if (age >= findingMillis / 2 && !isLooking) {
        const result = look();
        void result.then(() => {
          if (finding !== null && finding.askedAt < time) finding = { result, askedAt: time };
        });
      }
      return finding.result;
    },
  };
}
