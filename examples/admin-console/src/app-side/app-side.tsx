export default function AppSide() {
  return <main />;
}
