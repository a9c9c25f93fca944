import { type UseMutationOptions, useMutation } from '@tanstack/react-query';
import { useLayoutEffect, useRef } from 'react';

/**
 * What every form and every button sends by: one request at a time. A second `mutate` does nothing until the page shows
 * the end of the first. A button alone does not see to it: it is disabled by the next render, and a double click comes
 * before.
 */
export function useSend<Result, Content = void>(options: UseMutationOptions<Result, Error, Content>) {
  const mutation = useMutation(options);
  const { isPending, mutate } = mutation;
  const isUnderWay = useRef(false);
  // After each render: a request that fails at once has none that shows it.
  useLayoutEffect(() => {
    if (!isPending) isUnderWay.current = false;
  });
  const sendOnce: typeof mutate = (...given) => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    mutate(...given);
  };
  return { ...mutation, mutate: sendOnce };
}
