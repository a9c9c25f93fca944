/** Holds a handler still where a test wants it. */
export interface Gate {
  /** Called by the handler: resolves when the gate is open. */
  pass(): Promise<void>;
  /** Resolves when a handler has come to the gate. */
  arrival(): Promise<void>;
  open(): void;
}

export function createGate(): Gate {
  let noteArrival = () => {};
  let open = () => {};
  const arrived = new Promise<void>((resolve) => {
    noteArrival = resolve;
  });
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    pass() {
      noteArrival();
      return opened;
    },
    arrival: () => arrived,
    open: () => open(),
  };
}
