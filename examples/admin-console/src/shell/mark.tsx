/** The mark of the product. Its name is next to it. */
export function Mark({ size }: { readonly size: number }) {
  return <img src={`${import.meta.env.BASE_URL}icon.svg`} width={size} height={size} alt="" />;
}
