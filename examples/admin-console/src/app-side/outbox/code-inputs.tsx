import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef, useState } from 'react';

type Fill = (code: string) => void;

interface CodeInputsState {
  /** Whether a form on the screen takes a code. */
  readonly isPresent: boolean;
  fill(code: string): void;
  /** Returns what removes the input again. */
  add(fill: Fill): () => void;
}

const CodeInputsContext = createContext<CodeInputsState | null>(null);

/** Knows the input that takes a code, so that a tap on a message fills it. */
export function CodeInputs({ children }: { readonly children: ReactNode }) {
  const [inputs, setInputs] = useState<readonly Fill[]>([]);
  const state = useMemo<CodeInputsState>(
    () => ({
      isPresent: inputs.length > 0,
      fill: (code) => inputs.at(-1)?.(code),
      add(fill) {
        setInputs((last) => [...last, fill]);
        return () => setInputs((last) => last.filter((each) => each !== fill));
      },
    }),
    [inputs],
  );
  return <CodeInputsContext value={state}>{children}</CodeInputsContext>;
}

export function useCodeInputs(): CodeInputsState {
  const state = useContext(CodeInputsContext);
  if (state === null) throw new Error('useCodeInputs: no CodeInputs above');
  return state;
}

/** Takes codes as long as the component is shown. Of several, the newest takes them. */
export function useCodeInput(fill: Fill): void {
  const { add } = useCodeInputs();
  const latest = useRef(fill);
  const addOnce = useRef(add);
  useEffect(() => {
    latest.current = fill;
  });
  useEffect(() => addOnce.current((code) => latest.current(code)), []);
}
